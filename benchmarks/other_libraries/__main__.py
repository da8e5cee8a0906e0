"""The counts of right and wrong derivatives that gradcli and the libraries' own checkers tell apart."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any, NamedTuple

import gradcli
from benchmarks.other_libraries.claim import Claim

CHECKERS = {
    "torch": ("of_torch", "torch.autograd.gradcheck"),
    "jax": ("of_jax", "jax.test_util.check_grads"),
    "tensorflow": ("of_tensorflow", "tf.test.compute_gradient"),
    "openmdao": ("of_openmdao", "assert_check_partials"),
}


class Judgement(NamedTuple):
    """Whether gradcli and the owner's checker accept an object, right and with its slip."""

    claim: Claim
    by_gradcli: tuple[str, str]
    by_owner: tuple[bool, bool]


def judged(library: str) -> Iterator[Judgement]:
    """Judge the objects of a library."""
    module: Any = import_module(f"benchmarks.other_libraries.{CHECKERS[library][0]}")
    for claim in module.CLAIMS:
        both = claim.right, claim.wrong
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            ours = [gradcli.check(thing, at=claim.at).verdict for thing in both]
            theirs = [module.accepted(thing, claim.at) for thing in both]
        yield Judgement(claim, (ours[0], ours[1]), (theirs[0], theirs[1]))


def main() -> int:
    """Print the counts; return 1 with --check if gradcli misjudges an object."""
    print(f"{'library':12}{'objects':>8}  right accepted, wrong refused by gradcli   by the owner's checker")
    misjudged = []
    for library in filter(find_spec, CHECKERS):
        made = list(judged(library))
        ours = sum(x.by_gradcli[0] == "pass" for x in made), sum(x.by_gradcli[1] == "fail" for x in made)
        theirs = sum(x.by_owner[0] for x in made), sum(not x.by_owner[1] for x in made)
        owner = f"{theirs[0]}, {theirs[1]} ({CHECKERS[library][1]})"
        print(f"{library:12}{len(made):8}  {f'{ours[0]}, {ours[1]}':39}   {owner}", flush=True)
        misjudged += [x for x in made if x.by_gradcli != ("pass", "fail") or x.by_owner != (True, False)]
    for x in misjudged:
        verdicts = f"gradcli: right {x.by_gradcli[0]}, wrong {x.by_gradcli[1]}"
        words = ["accepted" if accepts else "refused" for accepts in x.by_owner]
        print(f"{x.claim.name} ({x.claim.origin}): {verdicts}; the owner: right {words[0]}, wrong {words[1]}")
    return int("--check" in sys.argv and any(x.by_gradcli != ("pass", "fail") for x in misjudged))


if __name__ == "__main__":
    sys.exit(main())
