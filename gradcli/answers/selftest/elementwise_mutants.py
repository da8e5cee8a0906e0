"""Wrong elementwise rules: a sign, a factor, exchanged arguments, one part in a million."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from gradcli.answers.selftest.mutant_check import fails
from gradcli.mathematics.language.syntax import is_zero
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.records.checks import Mutant

NUMBERS = (0.3, 0.7, 1.3, 2.5, -0.4, -1.7, 0.05, 3.1, -6.0, 12.0)
WHOLE = (0.0, 1.0, 2.0, 3.0)
MOST_POINTS = 60
TRIES = 4  # most points at which a mutant is tried
DIFFERENT = 1e-9  # relative difference of partials below which they are equal


def exchanged(text: str, names: tuple[str, ...]) -> str:
    """A partial with its first two arguments exchanged."""
    if len(names) < 2:
        return text
    other = {names[0]: names[1], names[1]: names[0]}
    return re.sub(r"[A-Za-z_]\w*", lambda word: other.get(word[0], word[0]), text)


Change = Callable[[str, tuple[str, ...]], str]

CHANGES: dict[str, Change] = {
    "sign": lambda text, names: f"-({text})",
    "factor": lambda text, names: f"2 * ({text})",
    "exchanged arguments": exchanged,
    "one part in a million": lambda text, names: f"1.000001 * ({text})",
}


def mutants() -> Iterator[Callable[[], Mutant]]:
    """Yield every mutant of every elementwise rule, as a function that judges it."""
    for rule in [rule for rule in RULES.values() if isinstance(rule, Elementwise)]:
        for position, tree in enumerate(rule.slopes.trees):
            if tree is None or is_zero(tree):
                continue
            for name, change in CHANGES.items():
                text = change(str(rule.partials[position]), rule.parameters)
                if text != rule.partials[position]:
                    yield partial(judged, rule, position, name, text)


def judged(rule: Elementwise, position: int, name: str, text: str) -> Mutant:
    """Make one partial of a rule wrong, and check it."""
    partials = tuple(text if n == position else partial for n, partial in enumerate(rule.partials))
    wrong = rule.changed(partials=partials)
    mutant = Mutant(rule.name, rule.parameters[position], name, text, "equivalent", None)
    for point in itertools.islice(where_different(rule, wrong, position), TRIES):
        shown = ", ".join(map(str, point))
        if fails(_of_one(wrong, position, point), {rule.parameters[position]: point[position]}):
            return mutant.changed(outcome="caught", point=shown)
        mutant = mutant.changed(outcome="missed", point=shown)
    return mutant


def _of_one(rule: Elementwise, position: int, point: tuple[float, ...]) -> Callable[[Any], Any]:
    """A rule as a function of one of its arguments."""
    return lambda x: rule(*point[:position], x, *point[position + 1 :])


def where_different(rule: Elementwise, wrong: Elementwise, position: int) -> Iterator[tuple[float, ...]]:
    """Points at which the two partials differ, largest difference first."""
    distances: list[tuple[float, int, tuple[float, ...]]] = []
    for point in points(rule):
        right, other = (_partial(rule_, position, point) for rule_ in (rule, wrong))
        difference = abs(other - right) / abs(right) if right else abs(other)
        if math.isfinite(right) and math.isfinite(other) and difference > DIFFERENT:
            distances.append((-min(difference, 1.0), len(distances), point))
    return (point for _, _, point in sorted(distances))


def _partial(rule: Elementwise, position: int, point: tuple[float, ...]) -> float:
    slope = rule.slopes.on_numbers[position]
    try:
        return 0.0 if slope is None else float(slope(rule.ieee(*point), *point))
    except (ArithmeticError, ValueError):
        return math.nan


def points(rule: Elementwise) -> list[tuple[float, ...]]:
    """A repeatable sample of points at which a rule is defined, smooth and finite."""
    chance = random.Random(rule.name)
    columns = [WHOLE if name in ("n", "c") else NUMBERS for name in rule.parameters]
    every = list(itertools.product(*columns)) if len(columns) < 4 else []
    every += [tuple(chance.choice(column) for column in columns) for _ in range(MOST_POINTS)]
    chance.shuffle(every)
    return list(itertools.islice((point for point in dict.fromkeys(every) if _is_inside(rule, point)), MOST_POINTS))


def _is_inside(rule: Elementwise, point: tuple[float, ...]) -> bool:
    with ignored_float_errors():
        try:
            value = rule.ieee(*point)
            if not math.isfinite(value) or (rule.kink and bool(rule.at_kink(value, *point))):
                return False
            return not rule.where or bool(rule.is_defined(value, *point))
        except (ArithmeticError, ValueError):
            return False
