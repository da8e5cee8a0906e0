"""The self-test: each rule is made wrong in turn, and the check has to fail it."""

from gradcli.selftest.selftest import selftest

__all__ = ["selftest"]
