"""A claim of the corpus: a function, a point, a gradient that somebody claims, and the truth about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Truth = Literal["right", "wrong", "kink", "cut", "jump", "nonfinite", "roundoff", "disputed", "undecidable"]

OVERALL: dict[Truth, str] = {
    "right": "pass",
    "wrong": "fail",
    "kink": "pass",
    "cut": "pass",
    "jump": "inconclusive",
    "nonfinite": "nonfinite",
    "roundoff": "inconclusive",
    "disputed": "inconclusive",
    "undecidable": "inconclusive",
}
"""The one verdict over all components that a checker that is never wrong gives."""

NAMED: dict[Truth, str] = {
    "kink": "KINK",
    "cut": "CUT",
    "jump": "JUMP",
    "nonfinite": "NONFINITE",
    "roundoff": "ROUNDOFF",
    "disputed": "DISPUTED",
}
"""The verdict that at least one component has to carry."""


@dataclass(frozen=True)
class Claim:
    """A claimed gradient.

    Attributes:
        name: unique in the corpus.
        f: returns one number.
        at: the point as `gradcli.check` takes it.
        gradient: the claimed gradient as a function of the point; None for the one that the tape computes.
        truth: what the claim is.
        why: how that is known.
        quick: whether it is judged in well under a second.
    """

    name: str
    f: Callable[..., Any]
    at: Any
    gradient: Callable[..., Any] | None
    truth: Truth
    why: str
    quick: bool = True


def claims(
    name: str,
    f: Callable[..., Any],
    at: Any,
    right: Callable[..., Any] | None = None,
    why: str = "textbook derivative",
    *,
    own: Truth | None = "right",
    truth: Truth = "right",
    wrong: Mapping[str, Callable[..., Any]] | None = None,
    quick: bool = True,
) -> list[Claim]:
    """The claims about one function at one point: the tape's own gradient, one by hand, and wrong ones."""
    found = [] if own is None else [Claim(f"{name}, by the tape", f, at, None, own, why, quick)]
    if right is not None:
        found.append(Claim(name, f, at, right, truth, why, quick))
    for slip, gradient in (wrong or {}).items():
        found.append(Claim(f"{name}: {slip}", f, at, gradient, "wrong", why, quick))
    return found
