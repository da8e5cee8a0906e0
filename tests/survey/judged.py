"""What gradcli says of each case: its gradient, its verdict on the published derivative, and on changed copies."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import gradcli
from gradcli.errors import GradcliError
from tests.survey import differences
from tests.survey.case import Case
from tests.survey.mutants import in_place, mutants

VERDICTS = {"pass": "right", "fail": "wrong", "nonfinite": "wrong", "inconclusive": "undecided"}


class Outcome(NamedTuple):
    """One answer.

    Args:
        asked: "gradients", "derivatives" or "mutants".
        name: that of the case, with the change of a mutant.
        verdict: right, wrong, refused, undecided; failed or survived for a mutant.
        reason: what came where that is not as declared; empty where it is.
    """

    asked: str
    name: str
    verdict: str
    reason: str = ""


def outcomes(case: Case, mutants_each: int) -> Iterator[Outcome]:
    """All answers on a case."""
    yield _gradient(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if case.derivative is not None:
            judged = _derivative(case)
            yield judged
            if judged.verdict == "right":
                yield from _mutants(case, mutants_each)


def _gradient(case: Case) -> Outcome:
    """The gradient of the tape against differences; a wrong one that comes with a warning is "warned"."""
    expected, error = differences.jacobian(case.value, case.at)
    if not np.isfinite(expected).all():
        raise ValueError(f"{case.name}: declared at a point beside which the function is not finite")
    differentiate: Callable[..., Any] = gradcli.jacobian if plain_shape(case) else gradcli.grad
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            got = np.reshape(differentiate(case.value)(_copied(case.at)), expected.shape)
        except GradcliError as refusal:
            return Outcome("gradients", case.name, "refused", _first_line(refusal))
        except Exception as bug:
            return Outcome("gradients", case.name, "wrong", f"{type(bug).__name__}: {bug}")
    allowed = np.maximum(1e-6 * abs(expected), 50 * error) + 1e-11 * np.max(abs(expected), initial=0)
    bad = ~(abs(got - expected) <= allowed)
    if not bad.any():
        return Outcome("gradients", case.name, "right")
    index = np.unravel_index(np.argmax(bad), bad.shape)
    reason = f"{got[index]} for {expected[index]} ± {error[index]:.1e}"
    said = [str(each.message) for each in caught if str(each.message).startswith(("G1", "G2"))]
    return Outcome("gradients", case.name, "warned" if said else "wrong", " ".join([reason, *said[:1]]))


def _derivative(case: Case) -> Outcome:
    verdict, reason = _verdict(case, case.derivative)
    declared = "wrong" if case.wrong else "right"
    return Outcome("derivatives", case.name, verdict, "" if verdict == declared else reason)


def _mutants(case: Case, count: int) -> Iterator[Outcome]:
    """The verdicts on so many changed copies of the derivative that differ from it at the point."""
    assert case.derivative is not None
    assert case.written is not None
    right = differences.plain(case.derivative, case.at)
    seen = 0
    for mutant in mutants(case.written):
        if seen == count:
            return
        with in_place(mutant, case.written):
            try:
                wrong = differences.plain(case.derivative, case.at)
            except Exception:  # a slip that everybody sees
                continue
        if wrong.shape != right.shape or not np.isfinite(wrong).all() or _same(wrong, right):
            continue
        seen += 1
        verdict, reason = _verdict(case, lambda _, wrong=wrong: wrong if wrong.ndim else float(wrong))
        failed = verdict == "wrong"
        yield Outcome(
            "mutants", f"{case.name}, {mutant.change}", "failed" if failed else "survived", "" if failed else reason
        )


def _same(wrong: Any, right: Any) -> bool:
    """Whether a change makes no difference at the point, or one of rounding."""
    return bool(np.all(abs(wrong - right) <= 1e-6 * abs(right) + 1e-9 * np.max(abs(right), initial=0)))


def _verdict(case: Case, candidate: Any) -> tuple[str, str]:
    of = "jacobian" if plain_shape(case) else "gradient"
    try:
        comparison = gradcli.check(case.value, at=_copied(case.at), against=candidate, of=of)
    except GradcliError as refusal:
        return "undecided", _first_line(refusal)
    except Exception as bug:
        return "undecided", f"{type(bug).__name__}: {bug}"
    return VERDICTS[comparison.verdict], _first_reason(comparison.components)


def _first_reason(components: Any) -> str:
    """The name, the verdict and the reason of the first component that does not pass, or else of the first."""
    shown = next((each for each in components if each.verdict != "PASS"), components[0])
    return f"{shown.name}: {shown.verdict.value}: {shown.candidate} for {shown.reference}: {shown.reason}"


def plain_shape(case: Case) -> tuple[int, ...]:
    """The shape of the value; empty for a number."""
    shape: tuple[int, ...] = differences.plain(case.value, case.at).shape
    return shape


def _copied(at: Any) -> Any:
    return at.copy() if isinstance(at, np.ndarray) else at


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
