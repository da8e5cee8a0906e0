"""A run that stands exactly where a comparison turns, with another gradient on the other side of it."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.diagnose.switches import turning
from gradcli.findings import finding
from gradcli.methods.close_by import Surroundings
from gradcli.methods.components import components
from gradcli.methods.pieces import Pieces
from gradcli.records import Finding
from gradcli.tape.quiet import quiet
from gradcli.tape.recording import Recording

SMALL = 1e-6  # of the larger of two slopes: a smaller one is 0 and seen from a little way off
MOST_OUTCOMES = 1000  # that are asked whether they turn


def on_switch(
    tape: Recording,
    named: Callable[[], Recording],
    function: Callable[..., Any],
    point: Mapping[str, Any],
    wanted: Sequence[str],
) -> Finding | None:
    """The finding that says so, with the line of the comparison; None where the sides have the same gradient.

    Costs a few dozen runs where an outcome turns, and nothing to speak of elsewhere.
    """
    number = next(turning(tape), None) if len(tape.outcomes) <= MOST_OUTCOMES else None
    if number is None:
        return None
    parts = components(point, wanted)
    types = (getattr(tape.rows[row][1], "dtype", np.dtype(float)) for row in tape.input_rows())
    eps = max(float(np.finfo(kind).eps) for kind in types)
    with quiet():
        pieces = Pieces(Surroundings(function, point, parts, eps), SMALL)
    bent = [
        (part.name, np.min(slopes), np.max(slopes))
        for part, slopes, varies in zip(parts, pieces.gradients.T, pieces.varying, strict=True)
        if varies
    ]
    if not bent:
        return None
    name, least, most = bent[0]
    more = f"; so for {len(bent) - 1} more" if bent[1:] else ""
    small = SMALL * max(abs(least), abs(most))
    sides = " to ".join(f"{x if abs(x) > small else 0.0:.6g}" for x in (least, most))
    text = f"the derivative by {name} is from {sides} close by; what is shown is that of the side taken{more}"
    with quiet():
        watch = named().watch
    file, line = (watch and watch.place_of_outcome(number)) or (None, None)
    source = linecache.getline(file, line).strip() if file and line else ""
    return finding("G206", f"{text}; `{source}`" if source else text, file=file, line=line)
