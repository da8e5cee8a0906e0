"""Compiled gradients of random programs and of the corpus are those of the eager gradient."""

import os

import pytest

from benchmarks import compiled_equality
from benchmarks.compiled_equality import Case
from tests.corpus import CLAIMS
from tests.generated.numeric_programs import ArrayWriter, ScalarWriter


@pytest.mark.long
@pytest.mark.parametrize("first", range(1, 41, 10))
def test_random_programs(first, capsys):
    status = compiled_equality.main(["--programs", str(first), str(first + 10)])

    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("writer", [ScalarWriter, ArrayWriter])
def test_numeric_programs_reach_c(writer):
    """The first seeds of which that is so."""
    seeds = {ScalarWriter: 1, ArrayWriter: 3}
    case = next(compiled_equality.programs(seeds[writer], seeds[writer] + 1))

    assert compiled_equality.difference(case.f, case.argnums, case.point) == ("C", "")


def test_a_difference_is_found(monkeypatch):
    monkeypatch.setattr(compiled_equality, "agreeing", lambda *_: False)
    what, text = compiled_equality.difference(lambda x: x * x, 0, [2.0])

    assert what == "different"
    assert text.startswith("at [2.0]: (4.0, 4.0) [], and eager (4.0, 4.0) []")


def doubled(x):
    return x * x * 2.0


@pytest.mark.parametrize(("of", "shown"), [("jacobian", "(8.0, 8.0)"), ("hessian", "4.0"), ("hvp", "4.0")])
def test_what_is_compared_is_what_is_claimed(of, shown, monkeypatch):
    monkeypatch.setattr(compiled_equality, "agreeing", lambda *_: False)

    assert compiled_equality.difference(doubled, 0, [2.0], of)[1].startswith(f"at [2.0]: {shown} []")


def endless(x):
    while x > 0.0:
        x = x + 1.0
    return x


def ending(x):
    os._exit(3)


def raising(x):
    raise ValueError


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in child processes")
def test_a_case_without_an_end_and_one_that_ends_its_process(monkeypatch, capsys):
    cases = [Case(f.__name__, f, (0,), [1.0], 1) for f in (endless, ending, raising, endless)]
    monkeypatch.setattr(compiled_equality, "claims", lambda *_: cases)

    assert compiled_equality.main(["--claims", "0", "9", "--limit", "0.2"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "endless: over the limit",
        "ending: its process ended with 3",
        "endless: over the limit",
        "     1 eager: each call raises",
        "0 programs, 4 claims: C backend 0, Python 0, eager 1, over the limit 2, differences 1",
    ]


@pytest.mark.long
def test_the_corpus_is_part_of_it():
    cases = list(compiled_equality.claims(0, len(CLAIMS)))

    assert sum(case.count for case in cases) > len(CLAIMS) / 2
