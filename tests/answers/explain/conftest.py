"""Files for the tests of explanations, as for those of the queries that ask for them."""

from tests.queries.conftest import folder, program

__all__ = ["folder", "program"]
