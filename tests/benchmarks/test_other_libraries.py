"""Published derivatives of other libraries, each right and with a slip, get the right verdicts."""

from importlib import import_module
from importlib.util import find_spec

import pytest

import gradcli
from benchmarks.other_libraries.__main__ import CHECKERS
from gradcli import queries

INSTALLED = [library for library in CHECKERS if find_spec(library)]
FOUND = {
    "openmdao.test_suite.components.misc_components:Comp4LinearCacheTest": "x=1.5,y=2",
    "examples/published/dymos_components.py:atmosphere": "h=[36700]",
    "examples/published/dymos_components.py:path": "TAS=[100],climb_rate=[120]",
}


@pytest.mark.long
@pytest.mark.parametrize("library", INSTALLED)
def test_the_right_ones_pass_and_those_with_a_slip_fail(library):
    claims = import_module(f"benchmarks.other_libraries.{CHECKERS[library][0]}").CLAIMS
    verdicts = {
        claim.name: [gradcli.check(thing, at=claim.at).verdict for thing in (claim.right, claim.wrong)]
        for claim in claims
    }

    assert verdicts == {claim.name: ["pass", "fail"] for claim in claims}


@pytest.mark.skipif(not find_spec("dymos"), reason="needs dymos and OpenMDAO")
@pytest.mark.parametrize("target", FOUND)
def test_the_wrong_partials_of_installed_components_are_found(target):
    assert queries.check(target, FOUND[target]).verdict == "fail"
