"""`python -m benchmarks.corpus`: gradcli and other checkers, with default settings, on the corpus of claims.

Each tool gets the same function of one vector and the same claimed numbers. It should accept a right gradient, reject a
wrong one and name a kink. Claims at points without a right gradient are not counted. Claims of Jacobians, Hessians and
their products are counted for gradcli alone.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

import gradcli
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.problem.compared_case import Case, open_case
from gradcli.answers.targets import as_point
from gradcli.answers.targets.functions import function_target
from gradcli.errors import GradcliError
from gradcli.shared.pytree import map_leaves
from tests.corpus import CLAIMS, Claim

SMALL = 1e-5  # the norm of the difference, as returned by check_grad, below which a gradient is accepted
OURS = "gradcli.check"
PATIENCE = 10.0  # seconds per claim
RIGHT = ("right", "cut")


@dataclass(frozen=True)
class Flat:
    """A claim as a function of one vector.

    Attributes:
        f: takes a vector and returns a float.
        x: the point.
        gradient: the claimed numbers.
    """

    f: Callable[[Any], float]
    x: Any
    gradient: Any


def flat(claim: Claim) -> Flat:
    """A claim in the form that every tool accepts, with the numbers of the tape's gradient if it claims that one."""
    target = function_target("f", "f", claim.f)
    point = as_point(claim.at, target)
    bound = target.with_inputs(point)
    case = open_case(bound, point, list(point), lambda doing, **_: nullcontext())
    numbers = np.array([part.value for part in case.parts])
    return Flat(
        lambda vector: float(bound.function(*_structured(case, vector))), numbers, np.array(_claimed(claim, case))
    )


def _claimed(claim: Claim, case: Case) -> list[float]:
    if claim.gradient is None:
        rows = {row.name: row.reverse for row in gradcli.check(claim.f, at=claim.at).components}
        return [rows[part.name] for part in case.parts]
    return HandWrittenGradient(function_target("g", "g", claim.gradient), list(case.point)).numbers(case)[0]


def _structured(case: Case, vector: Any) -> list[Any]:
    """The arguments of a function for the numbers of a vector."""
    rest = iter(np.asarray(vector, dtype=float).ravel().tolist())

    def fill(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return type(leaf)(next(rest))
        return np.array([next(rest) for _ in range(leaf.size)], dtype=leaf.dtype).reshape(leaf.shape)

    return [map_leaves(fill, structure) for structure in case.point.values()]


# The tools: whether each accepts a claim


def scipy_check_grad(claim: Flat) -> bool:
    """The norm of the difference from forward differences."""
    from scipy.optimize import check_grad

    return bool(check_grad(claim.f, lambda x: claim.gradient, claim.x) < SMALL)


def torch_gradcheck(claim: Flat) -> bool:
    """Central differences with a step of 1e-6, to a tolerance of 1e-3 relative or 1e-5 absolute."""
    import torch

    class Claimed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return torch.tensor(claim.f(x.detach().numpy()), dtype=torch.float64)

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            return ct * torch.tensor(claim.gradient, dtype=torch.float64)

    x = torch.tensor(claim.x, dtype=torch.float64, requires_grad=True)
    return bool(torch.autograd.gradcheck(Claimed.apply, (x,), raise_exception=False))


def jax_check_grads(claim: Flat) -> bool:
    """Differences along one random direction."""
    import jax
    from jax.test_util import check_grads

    jax.config.update("jax_enable_x64", True)
    logging.getLogger("jax").setLevel(logging.CRITICAL)  # suppresses messages about functions that raise near the point

    @jax.custom_vjp
    def f(x: Any) -> Any:
        return jax.pure_callback(lambda v: np.float64(claim.f(np.asarray(v))), jax.ShapeDtypeStruct((), "float64"), x)

    f.defvjp(lambda x: (f(x), None), lambda _, ct: (ct * claim.gradient,))
    try:
        check_grads(f, (claim.x,), order=1, modes=("rev",))
    except AssertionError:
        return False
    return True


def numdifftools_allclose(claim: Flat) -> bool:
    """Adaptive central differences, compared by NumPy's allclose."""
    import numdifftools

    return bool(np.allclose(numdifftools.Gradient(claim.f)(claim.x), claim.gradient))


TOOLS: dict[str, tuple[str, Callable[[Flat], bool]]] = {
    "scipy.optimize.check_grad": ("scipy", scipy_check_grad),
    "torch.autograd.gradcheck": ("torch", torch_gradcheck),
    "jax.test_util.check_grads": ("jax", jax_check_grads),
    "numdifftools and allclose": ("numdifftools", numdifftools_allclose),
}


@dataclass
class Count:
    """The results of a tool on the corpus as counts, and the time in seconds."""

    tool: str
    wrong_accepted: int = 0
    right_rejected: int = 0
    kinks_named: int = 0
    seconds: float = 0.0

    def note(self, claim: Claim, *, accepted: bool, named: bool) -> None:
        """Count one claim."""
        self.wrong_accepted += accepted and claim.truth == "wrong"
        self.right_rejected += not accepted and claim.truth in RIGHT
        self.kinks_named += named and claim.truth == "kink"


def ours(claims: Iterable[Claim]) -> Count:
    """The results of gradcli, where only the verdict `pass` counts as accepted."""
    count, start = Count(OURS), time.perf_counter()
    for claim in claims:
        report = gradcli.check(claim.f, at=claim.at, against=claim.gradient, of=claim.of)
        named = any(row.verdict.value == "KINK" for row in report.components)
        count.note(claim, accepted=report.verdict == "pass", named=named)
    count.seconds = time.perf_counter() - start
    return count


def quietly(claims: Iterable[Claim]) -> Count:
    """The results of gradcli; what the functions warn of is no matter here."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ours(claims)


def theirs(tool: str, judge: Callable[[Flat], bool], claims: Iterable[tuple[Claim, Flat]]) -> Count:
    """The results of another tool, where an exception counts as a rejection."""
    count, start = Count(tool), time.perf_counter()
    for claim, form in claims:
        try:
            with limited():
                accepted = judge(form)
        except Exception:  # an exception of any kind is not an acceptance
            accepted = False
        count.note(claim, accepted=accepted, named=False)
    count.seconds = time.perf_counter() - start
    return count


@contextmanager
def limited() -> Iterator[None]:
    """Stop a call after the time limit; a loop that ends at the point may not end where a tool steps."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _flattened(claims: Iterable[Claim]) -> Iterator[tuple[Claim, Flat]]:
    for claim in claims:
        try:
            yield claim, flat(claim)
        except (GradcliError, ArithmeticError, ValueError):  # no gradient can be claimed
            continue


def counts(claims: list[Claim]) -> Iterator[Count]:
    """The counts of each installed tool."""
    yield quietly(claims)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        forms = list(_flattened(claims))
        for tool, (package, judge) in TOOLS.items():
            if find_spec(package):
                yield theirs(tool, judge, forms)


def table(claims: list[Claim], counted: Iterable[Count]) -> Iterator[str]:
    """The counts as a table."""
    wrong, right, kinks = (sum(c.truth in truths for c in claims) for truths in (("wrong",), RIGHT, ("kink",)))
    kind = "claims" if claims[0].of == "gradient" else "claims of Jacobians, Hessians and their products"
    yield f"{len(claims)} {kind}: {right} right, {wrong} wrong, {kinks} at a kink, and others that nobody can decide"
    yield ""
    yield f"{'':28}{'wrong accepted':>16}{'right rejected':>16}{'kinks named':>13}{'time':>9}"
    for count in counted:
        row = f"{count.wrong_accepted:>16}{count.right_rejected:>16}{count.kinks_named:>13}{count.seconds:>7.1f} s"
        yield f"{count.tool:28}{row}"


def main(arguments: list[str] | None = None) -> int:
    """Print the table; returns 1 if gradcli is wrong on any claim."""
    build = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description=sys.modules[__name__].__doc__)
    build.add_argument("--quick", action="store_true", help="every tenth claim: shows that it runs, no more")
    options = build.parse_args(arguments)
    claims = CLAIMS[::10] if options.quick else CLAIMS
    gradients = [claim for claim in claims if claim.of == "gradient"]
    others = [claim for claim in claims if claim.of != "gradient"]
    by_tool = []
    for count in counts(gradients):
        by_tool.append(count)
        print(f"{count.tool} ...", file=sys.stderr)
    of_others = quietly(others)
    print("\n".join([*table(gradients, by_tool), "", *table(others, [of_others])]))
    return int(any(count.wrong_accepted or count.right_rejected for count in (by_tool[0], of_others)))


if __name__ == "__main__":
    sys.exit(main())
