"""The run of all mutants, one after another."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice

from gradcli.answers.selftest import array_mutants, elementwise_mutants
from gradcli.engine.running.muted_reruns import quiet
from gradcli.shared.records.checks import SelfTest


def selftest(every: int = 1, tell: Callable[[int, int], None] = lambda done, of: None) -> SelfTest:
    """Make each rule wrong in turn, and see whether the check fails it.

    Args:
        every: run only each `every`-th mutant.
        tell: is called with the number of finished mutants and the total.

    Returns:
        The outcome of each mutant: caught, missed, or equivalent (its partials are equal wherever the rule is defined).
            All of them take under a minute.
    """
    begun = time.monotonic()
    chosen = list(islice([*elementwise_mutants.mutants(), *array_mutants.mutants()], 0, None, every))
    mutants = []
    for number, judge in enumerate(chosen, 1):
        with quiet():
            mutants.append(judge())
        tell(number, len(chosen))
    return SelfTest(tuple(mutants), array_mutants.unexercised(), time.monotonic() - begun)
