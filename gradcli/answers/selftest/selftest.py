"""The run of all mutants, one after another."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from numbers import Integral

from gradcli.answers.selftest import array_mutants, elementwise_mutants
from gradcli.engine.running.muted_reruns import quiet
from gradcli.errors import UsageError
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared.records.checks import SelfTest


@library_call
def check_rules(*, every: int = 1, progress: Callable[[int, int], None] | None = None) -> SelfTest:
    """Test gradcli itself: make each derivative rule wrong in turn, and see that `check` fails it, in about a minute.

    Args:
        every: test only each `every`-th wrong rule.
        progress: called with the number of finished wrong rules and the number of all.

    Returns:
        A record with the outcome of each: caught, missed, or equivalent, if its partials are the same wherever the rule
        is defined. `.exit` is 0 if each wrong rule was caught, else 1. `str()` of it is its table.

    Raises:
        UsageError: `every` is no whole number from 1 on.
    """
    if isinstance(every, bool) or not isinstance(every, Integral) or every < 1:
        hint = "Pass `every=1` to test each wrong rule, or `every=60` for one in sixty."
        raise UsageError(f"every is {every!r}; it has to be a whole number from 1 on.", hint=hint)
    begun = time.monotonic()
    chosen = list(islice([*elementwise_mutants.mutants(), *array_mutants.mutants()], 0, None, int(every)))
    mutants = []
    for number, judge in enumerate(chosen, 1):
        with quiet():
            mutants.append(judge())
        if progress is not None:
            progress(number, len(chosen))
    return SelfTest(tuple(mutants), array_mutants.unexercised(), time.monotonic() - begun)
