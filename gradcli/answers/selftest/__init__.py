"""The self-test of the check: every rule made wrong in turn; and the test of a device against the host."""

from gradcli.answers.selftest.device_agreement import device_test
from gradcli.answers.selftest.selftest import selftest

__all__ = ["device_test", "selftest"]
