"""Selection of the cases for the everyday tests; the others run in the long tests."""

from collections.abc import Iterable
from typing import Any

import pytest


class Run:
    """The run of pytest.

    Attributes:
        is_long: whether it takes the long tests too.
    """

    is_long = False


def one_in(count: int, cases: Iterable[Any]) -> list[Any]:
    """Every `count`-th case; in a long run all of them, with the others marked `long`.

    A case has any form that `pytest.mark.parametrize` accepts: a `pytest.param`, a tuple of arguments, or one argument.
    """
    cases = list(cases)
    if not Run.is_long:
        return cases[::count]
    return [case if n % count == 0 else _left_to_the_long_tests(case) for n, case in enumerate(cases)]


def _left_to_the_long_tests(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.long), id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)
