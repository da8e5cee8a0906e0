"""The self-test: each rule of the table is made wrong in turn, and the check has to say so."""

from gradcli.selftest.mutant_run import selftest

__all__ = ["selftest"]
