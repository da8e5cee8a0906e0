"""`gradcli precision`: digits, shares and rewrites in columns."""

import math

from gradcli.shared.records.precision import NumberAccuracy
from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples


def test_without_losses() -> None:
    lines = record_text(samples.PRECISION.changed(nodes=()), Look(width=80)).splitlines()

    assert len(lines) == 8
    assert lines[-1] == "∂/∂y   1.0                           16.0            0"


def test_a_number_without_a_bound() -> None:
    record = samples.PRECISION.changed(gradient=(NumberAccuracy("x", 1.5, math.inf, 0.0),), nodes=())

    assert record_text(record, Look(width=80)).splitlines()[-1].split() == ["∂/∂x", "1.5", "unknown", "no", "bound"]


def test_a_terminal_shows_the_first_components() -> None:
    many = tuple(NumberAccuracy(f"x[{n}]", 1.0, 1e-16, 16.0) for n in range(50))
    record = samples.PRECISION.changed(gradient=many, nodes=())

    assert (
        record_text(record, Look(width=80, terminal=True)).splitlines()[-1] == "… 30 more (a pipe or --json shows all)"
    )
    assert len(record_text(record, Look(width=80)).splitlines()) == 56
