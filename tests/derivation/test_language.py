"""Programs that use much of the language: derived, each agrees with the tape at ten points."""

import inspect

import pytest

import gradcli
from gradcli.derivation.verification import DerivedTrial
from gradcli.errors import UnsupportedError
from tests.derivation import idiom_programs, language_programs
from tests.derivation.sampled_points import ten_points
from tests.everyday import one_in

pytestmark = pytest.mark.sampled(2)  # many like cases

PROGRAMS = {**language_programs.PROGRAMS, **idiom_programs.PROGRAMS}
REFUSED = (*language_programs.REFUSED, *idiom_programs.REFUSED)


@pytest.mark.parametrize("function", one_in(10, [f for f in PROGRAMS if f not in REFUSED]), ids=lambda f: f.__name__)
def test_a_program_agrees_with_the_tape(function):
    """At its own points, on both sides of its branches, and at others beside them."""
    points = ten_points(PROGRAMS[function])
    names = list(inspect.signature(function).parameters)[: len(points[0])]
    source = gradcli.derive(function, at=dict(zip(names, points[0], strict=True)))

    found = DerivedTrial(function, source.function, range(len(names))).at(points)

    assert len(points) == found.by_tape


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_a_program_is_refused(function):
    names = list(inspect.signature(function).parameters)

    with pytest.raises(UnsupportedError) as caught:
        gradcli.derive(function, at=dict(zip(names, PROGRAMS[function][0], strict=False)))

    assert function.__code__.co_firstlineno < caught.value.line
