"""`gradcli precision`: digits, shares and rewrites in columns."""

import math

from gradcli.shared.records.precision import NumberAccuracy
from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples

WHOLE = """\
bell.py:bell
at x=0.0001, y=2.0

       computed               good digits  error up to
─────  ─────────────────────  ───────────  ───────────
value  0.4999999969612645             6.8      8.9e-08
∂/∂x   4.410804467624985e-05          0.0       0.0018
∂/∂y   1.0                           16.0            0

where digits are lost
node  operation     loses  of value  of ∂x  line       source
────  ────────────  ─────  ────────  ─────  ─────────  ────────────────────────
  %1  cos(x)          0.9     100 %  100 %  bell.py:4  rest = 1.0 - math.cos(x)
  %2  1.0 - cos(x)    8.3         —      —  bell.py:4  rest = 1.0 - math.cos(x)
loses: good digits that the result has less than the arguments. of: the part of
its own rounding in the error of the value, and of the worst derivative.

in place of 1.0 - cos(x) write 2 * sin(x / 2)**2
"""


def test_the_whole_output() -> None:
    """The digits, the nodes with their shares and lines, the rewrite."""
    assert record_text(samples.PRECISION, Look(width=80)) == WHOLE


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
