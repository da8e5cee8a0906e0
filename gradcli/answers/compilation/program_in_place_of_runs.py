"""A derived program in place of recorded runs at many points, at which it says as much as they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.answers.compilation.call_signatures import signatures
from gradcli.answers.compilation.compiled_transform import FirstCall, Kind, Transform
from gradcli.answers.compilation.edge_cases import KINKED
from gradcli.answers.compilation.specialisations import Specialisation
from gradcli.answers.derivation.formula_source import with_source
from gradcli.engine.running.muted_reruns import muted
from gradcli.errors import GradcliError


def program_in_place_of_runs(
    function: Callable[..., Any], arguments: tuple[Any, ...], places: Sequence[int], kind: Kind
) -> tuple[Specialisation, Any]:
    """The program of a derivative by the arguments at some places, and the derivative at the point.

    Raises:
        Exception: there is none, or it passes kinks of which recorded runs tell; whatever it is, the runs serve.
    """
    function = with_source(function, arguments)
    transform = Transform(kind, tuple(places))
    eager = transform.eager(function)
    first = FirstCall(function, transform, arguments, places, eager(*arguments))
    with muted():
        program = Specialisation(signatures(arguments), first)
        program.compare(first, eager)
    if KINKED.search(program.text):
        raise GradcliError("it has kinks of which a recorded run tells")
    return program, first.result[1]
