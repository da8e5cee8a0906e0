"""A sweep in Markdown and in LaTeX: each source line, and below it its sums as a table or as aligned equations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gradcli.records import Addition, Explanation, ForwardSweep, Statement
from gradcli.render.drawing import Row, Stack
from gradcli.render.numbers import by_component, exact, short
from gradcli.render.statements import Group, groups
from gradcli.render.tape import place
from gradcli.render.text import line

Sweep = Explanation | ForwardSweep
TOKEN = re.compile(
    r"(?P<number>\d+\.?\d*(?:e[+-]?\d+)?)|(?P<name>[^\W\d][\w%]*(?:#\d+)?)|(?P<power>\*\*)|(?P<times>\*)|(?P<other>\S)"
)
UPRIGHT = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "max", "min"}
SPECIAL = str.maketrans(
    {sign: f"\\{sign}" for sign in "_#%&${}"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
)


def markdown(record: Sweep) -> Stack:
    """A sweep as a page of Markdown: a section for each source line."""
    return Stack(*(line(text) for text in [*_head(record), *_sections(record.statements), *_end(record)]))


def latex(record: Sweep) -> Stack:
    """A sweep as LaTeX for a document that loads amsmath."""
    return Stack(*(Row([(text, "")]) for text in _equations(record)))


def _head(record: Sweep) -> list[str]:
    point = ", ".join(f"{name} = {exact(number)}" for name, number in by_component(record.point))
    return [f"# {code(record.target)}", "", f"At {point}; value {short(record.value)}.", ""]


def _sections(statements: Sequence[Statement]) -> Iterator[str]:
    for group in groups(statements):
        first = group[0]
        where = place(first.file, first.line)
        yield f"## {code(first.source or first.expression)}" + (f" — {where}" if where else "")
        yield ""
        yield "|  | adds | after | before | amount |"
        yield "| --- | --- | ---: | ---: | ---: |"
        for each in (each for statement in group for each in statement.additions):
            numbers = " | ".join(short(number) for number in (each.after, each.before, each.amount))
            yield f"| {code(each.name)} | {code(each.term)} | {numbers} |"
        yield ""


def _end(record: Sweep) -> list[str]:
    if isinstance(record, ForwardSweep):
        return [f"The derivative in this direction is {exact(record.derivative)}."]
    rows = [f"| {code(name)} | {exact(number)} |" for name, number in by_component(record.gradient)]
    return ["## The gradient", "", "| name | gradient |", "| --- | ---: |", *rows]


def code(text: str) -> str:
    """Text as code in Markdown, also within a table."""
    return "`" + text.replace("`", "'").replace("|", "\\|") + "`"


def _equations(record: Sweep) -> Iterator[str]:
    for group in groups(record.statements):
        yield _paragraph(group)
        yield r"\begin{align*}"
        yield from _aligned([" ".join(_equation(each)) for statement in group for each in statement.additions])
        yield r"\end{align*}"
    if isinstance(record, ForwardSweep):
        yield rf"The derivative in this direction is ${maths(exact(record.derivative))}$."
        return
    yield r"\begin{align*}"
    numbers = by_component(record.gradient)
    yield from _aligned([rf"\frac{{\partial f}}{{\partial {maths(name)}}} &= {maths(exact(n))}" for name, n in numbers])
    yield r"\end{align*}"


def _aligned(equations: Sequence[str]) -> Iterator[str]:
    """Equations with what parts one from the next."""
    for number, equation in enumerate(equations, 1):
        yield equation + (r" \\" if number < len(equations) else "")


def _paragraph(group: Group) -> str:
    first = group[0]
    where = place(first.file, first.line)
    text = typed(first.source or first.expression)
    return (rf"\noindent {typed(where)}\quad " if where else r"\noindent ") + text


def typed(text: str) -> str:
    """Text in the letters of a typewriter."""
    return rf"\texttt{{{text.translate(SPECIAL)}}}"


def _equation(each: Addition) -> Iterator[str]:
    after, before, amount = (maths(short(number)) for number in (each.after, each.before, each.amount))
    yield rf"{maths(each.name)} &\mathrel{{+}}= {maths(each.term)}"
    sign = "-" if amount.startswith("-") else "+"
    yield rf"& {after} &= {before} {sign} {amount.removeprefix('- ')}"


def maths(text: str) -> str:
    """A term of a sweep as mathematics: `t_cd * s_bcd` with subscripts and a centred dot."""
    pieces: list[str] = []
    brackets: list[bool] = []  # whether each that is open is an exponent
    raised = False
    for token in TOKEN.finditer(text):
        piece = WRITTEN[token.lastgroup or "other"](token[0])
        if piece == "(":
            brackets.append(raised)
            pieces.append("^{(" if raised else "(")
        elif piece == ")":
            pieces.append(")}" if brackets and brackets.pop() else ")")
        elif token.lastgroup != "power":
            pieces.append(f"^{{{piece}}}" if raised else piece)
        raised = token.lastgroup == "power"
    return " ".join(pieces)


def name_of(name: str) -> str:
    """A name with what stands behind its first underscore as a subscript, upright where it is a word."""
    stem, _, turn = name.partition("#")
    if stem in UPRIGHT:
        return f"\\{stem}"
    letter, _, below = stem.partition("_")
    written = letter if len(letter) == 1 else rf"\mathrm{{{letter.translate(SPECIAL)}}}"
    if below:
        written += rf"_{{\mathrm{{{below.translate(SPECIAL)}}}}}"
    return written + (rf"^{{({turn})}}" if turn else "")


def number_of(text: str) -> str:
    """A number, with a power of ten where it has an exponent."""
    digits, _, exponent = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits


WRITTEN: dict[str, Callable[[str], str]] = {
    "number": number_of,
    "name": name_of,
    "power": str,
    "times": lambda _: r"\cdot",
    "other": lambda sign: sign.translate(SPECIAL),
}
