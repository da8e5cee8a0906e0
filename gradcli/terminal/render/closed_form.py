"""`gradcli symbolic`: the value and each partial derivative as a formula, one per line."""

from __future__ import annotations

from gradcli.shared.records.closed_form import ClosedForm
from gradcli.terminal.render.layout.heading import at_pieces, heading
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line, lines
from gradcli.terminal.render.layout.theme import NAME, PARTIAL, QUIET
from gradcli.terminal.render.layout.wrapped_text import prose

CHOSEN = ", chosen for want of --at"


def view(record: ClosedForm, look: Look, form: str = "text") -> Stack:
    """The view of a closed form; `form` is text or latex, one formula per line, for use in equations."""
    if form == "latex":
        return Stack(*lines(f"{left_side(name, record)} = {text}" for name, text in record.latex.items()))
    return as_formulas(record, look)


def as_formulas(record: ClosedForm, look: Look) -> Stack:
    """One formula per line, in the formula language."""
    sign = PARTIAL if look.unicode else "d"
    named = {"value": record.value, **{f"{sign}/{sign}{name}": text for name, text in record.gradient.items()}}
    width = max(map(len, named))
    formulas = [line((name.ljust(width), NAME), (" = ", QUIET), text) for name, text in named.items()]
    note = [line(), *prose(record.note, look.width, QUIET)] if record.note else []
    return Stack(*heading(record.target, record.reading, {}, look), *where(record, look), line(), *formulas, *note)


def where(record: ClosedForm, look: Look) -> list[Row]:
    """The point whose path the formulas follow; omitted if it was chosen by gradcli and makes no difference."""
    if not record.point or (record.chosen and record.reading is not None and not record.findings):
        return []
    return [line(*at_pieces(record.point, look), *([(CHOSEN, QUIET)] if record.chosen else []))]


def left_side(name: str, record: ClosedForm) -> str:
    """The left-hand side: `f` for the value, a partial derivative for an input."""
    if name not in record.gradient:
        return "f"
    sign = r"\partial" if len(record.gradient) > 1 else r"\mathrm{d}"
    return rf"\frac{{{sign} f}}{{{sign} {latex_name(name)}}}"


def latex_name(name: str) -> str:
    """A name in LaTeX: `x` unchanged, `x[0]` with a subscript, `side` upright."""
    stem, _, places = name.partition("[")
    letter = stem if len(stem) == 1 else rf"\mathrm{{{stem}}}".replace("_", r"\_")
    return letter + (f"_{{{places.rstrip(']')}}}" if places else "")
