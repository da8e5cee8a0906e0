"""The self-test of the check."""

from __future__ import annotations

from typing import Any

from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared.records.checks import SelfTest


def selftest(*, listener: Any = None, every: int = 1) -> SelfTest:
    """Make each rule wrong in turn, and see whether the check fails it.

    Args:
        listener: receives the progress.
        every: run only each `every`-th case.
    """
    from gradcli.answers import selftest as package

    return package.selftest(every, listener.tick) if listener else package.selftest(every)


@library_call
def check_rules() -> SelfTest:
    """Test gradcli itself: make each derivative rule wrong in turn, and see that `check` fails it, in about a minute.

    Returns:
        A record; `.exit` is 0 if each wrong rule was caught, else 1. `str()` of it is its table.
    """
    return selftest()
