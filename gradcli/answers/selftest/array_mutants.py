"""Wrong array rules: a rule's vector-Jacobian products are altered while a program that uses it is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from gradcli.answers.selftest.array_programs import PROGRAMS
from gradcli.answers.selftest.mutant_check import fails
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import record_trace
from gradcli.errors import TapeError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.methods.transforms.gradients import grad
from gradcli.shared.records.checks import Mutant

# The changes use operations that decimals support too, because the reference computes with the rules in many digits.
FACTORS: dict[str, Callable[[Any], Any]] = {
    "sign": lambda ct: -ct,
    "factor": lambda ct: ct + ct,
    "one part in a million": lambda ct: ct + ct / 1_000_000,
}
EXCHANGED = "exchanged arguments"
DIFFERENT = 1e-9  # relative difference of gradients below which they are equal


def mutants() -> Iterator[Callable[[], Mutant]]:
    """Yield every mutant of every array rule that a program uses, as a function that judges it."""
    users = programs_by_rule()
    for rule in [rule for rule in RULES.values() if isinstance(rule, ArrayRule) and rule.name in users]:
        names = [*FACTORS, EXCHANGED] if rule.variadic or len(rule.vjps) > 1 else list(FACTORS)
        for name in names:
            yield partial(judged, rule, name, users[rule.name])


def unexercised() -> tuple[str, ...]:
    """The array rules that no program uses."""
    users = programs_by_rule()
    return tuple(name for name, rule in RULES.items() if isinstance(rule, ArrayRule) and name not in users)


def programs_by_rule() -> dict[str, str]:
    """For each array rule, the name of the shortest program that uses it."""
    FUNCTIONS.complete()
    lengths: dict[str, tuple[int, str]] = {}
    for name, (program, at) in PROGRAMS.items():
        try:
            with quiet():
                nodes = record_trace(program, (at,), names=False).nodes
        except TapeError:  # a NumPy function without a rule
            continue
        for rule in {node.operation for node in nodes}:
            lengths[rule] = min(lengths.get(rule, (len(nodes), name)), (len(nodes), name))
    return {rule: name for rule, (_, name) in lengths.items()}


def judged(rule: ArrayRule, name: str, user: str) -> Mutant:
    """Make a rule wrong, and check a program that uses it."""
    program, at = PROGRAMS[user]
    mutant = Mutant(rule.name, "", name, f"in {user}", "equivalent", str(at.tolist()))
    with quiet():
        right = grad(program)(at)
        with made_wrong(rule, name):
            try:
                if np.allclose(grad(program)(at), right, rtol=DIFFERENT, atol=0.0):
                    return mutant
            except ValueError:  # the exchanged arguments have other shapes
                return mutant.changed(outcome="caught")
            return mutant.changed(outcome="caught" if fails(program, {"x": at}) else "missed")


@contextmanager
def made_wrong(rule: ArrayRule, name: str) -> Iterator[None]:
    """Give a rule wrong vector-Jacobian products, and restore it at the end."""
    right = {"vjps": rule.vjps, "in_place": rule.in_place, "clear": rule.clear, "parts": rule.parts}
    try:
        object.__setattr__(rule, "clear", None)  # makes a sweep use the vector-Jacobian products
        object.__setattr__(rule, "vjps", _wrong(rule, name))
        if rule.in_place is not None and name in FACTORS:
            object.__setattr__(rule, "in_place", _scaled_in_place(rule.in_place, FACTORS[name]))
        if rule.parts is not None:
            object.__setattr__(rule, "parts", _wrong_parts(rule.parts, name))
        yield
    finally:
        for field, value in right.items():
            object.__setattr__(rule, field, value)


def _wrong(rule: ArrayRule, name: str) -> tuple[Any, ...]:
    if name != EXCHANGED:
        return tuple(vjp and _scaled(vjp, FACTORS[name]) for vjp in rule.vjps)
    if rule.variadic:
        return (_shifted(rule.vjps[0]),)
    return (*reversed(rule.vjps[:2]), *rule.vjps[2:])


def _scaled(vjp: Callable[..., Any], change: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *arguments, **static: change(vjp(*arguments, **static))


def _scaled_in_place(add: Callable[..., None], change: Callable[[Any], Any]) -> Callable[..., None]:
    return lambda buffer, ct, **static: add(buffer, change(ct), **static)


def _wrong_parts(parts: Callable[..., list[Any]], name: str) -> Callable[..., list[Any]]:
    """Scale the products of all arguments, or give each argument that of its neighbour."""

    def wrong(*arguments: Any, **static: Any) -> list[Any]:
        right = parts(*arguments, **static)
        return [*right[1:], right[0]] if name == EXCHANGED else [FACTORS[name](part) for part in right]

    return wrong


def _shifted(vjp: Any) -> Callable[..., Any]:
    """Give each argument the product of its neighbour."""

    def wrong(ct: Any, v: Any, *arguments: Any, position: int, **static: Any) -> Any:
        return vjp(ct, v, *arguments, position=(position + 1) % len(arguments), **static)

    return wrong
