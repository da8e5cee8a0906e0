"""A claim of the corpus: a function, a point, a derivative that somebody claims, and the truth about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Order = Literal["gradient", "jacobian", "hessian", "hvp"]
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
    """A claimed derivative.

    Attributes:
        name: unique in the corpus.
        f: returns one number, or an array for a Jacobian.
        at: the point as `gradcli.check` takes it.
        gradient: the claimed derivative as a function of the point, and of a vector for "hvp"; None for the tape's own.
        truth: what the claim is.
        why: how that is known.
        quick: whether it is judged in well under a second.
        of: which derivative it is, as `gradcli.check` takes it.
    """

    name: str
    f: Callable[..., Any]
    at: Any
    gradient: Callable[..., Any] | None
    truth: Truth
    why: str
    quick: bool = True
    of: Order = "gradient"


def claims(
    name: str,
    f: Callable[..., Any],
    at: Any,
    right: Callable[..., Any] | None = None,
    why: str = "textbook derivative",
    *,
    own: Truth | None = "right",
    truth: Truth | None = None,
    wrong: Mapping[str, Callable[..., Any]] | None = None,
    quick: bool = True,
    of: Order = "gradient",
) -> list[Claim]:
    """The claims about one function at one point: the tape's own derivative, one by hand, and wrong ones.

    Without `truth`, a kink, a cut, a jump or lost digits of the tape's own derivative are those of the one by hand too.
    """
    truth = truth or ("right" if own in (None, "wrong", "undecidable") else own)
    found = [] if own is None else [Claim(f"{name}, by the tape", f, at, None, own, why, quick, of)]
    if right is not None:
        found.append(Claim(name, f, at, right, truth, why, quick, of))
    for slip, gradient in (wrong or {}).items():
        found.append(Claim(f"{name}: {slip}", f, at, gradient, "wrong", why, quick, of))
    return found
