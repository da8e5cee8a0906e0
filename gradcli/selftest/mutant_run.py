"""All mutants, one after the other, and what became of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice

from gradcli.records import SelfTest
from gradcli.running.muted_reruns import quiet
from gradcli.selftest import array_mutants, elementwise_mutants


def selftest(every: int = 1, tell: Callable[[int, int], None] = lambda done, of: None) -> SelfTest:
    """Make each rule wrong in turn, and see whether the check fails it.

    Args:
        every: take each `every`-th mutant only.
        tell: is told how many mutants are done, and of how many.

    Returns:
        What became of each mutant: caught, equivalent (its partials are the same wherever the rule is defined), or
        missed.  All of them take under a minute.
    """
    begun = time.monotonic()
    chosen = list(islice([*elementwise_mutants.mutants(), *array_mutants.mutants()], 0, None, every))
    found = []
    for number, judge in enumerate(chosen, 1):
        with quiet():
            found.append(judge())
        tell(number, len(chosen))
    return SelfTest(tuple(found), array_mutants.unexercised(), time.monotonic() - begun)
