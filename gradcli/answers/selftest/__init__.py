"""The self-test of the check: every rule made wrong in turn."""

from gradcli.answers.selftest.selftest import selftest

__all__ = ["selftest"]
