"""A sweep in Markdown and in LaTeX: each source line, and below it its sums as a table or as aligned equations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gradcli.records import Addition, ForwardSweep, Statement
from gradcli.render.layout.drawing import Row, Stack
from gradcli.render.layout.numbers import by_component, exact, short
from gradcli.render.layout.text import line
from gradcli.render.sweeps.statements import Group, Sweep, defined, explained, groups, heading, is_step
from gradcli.render.tapes.node_labels import place

Token = tuple[str, str]  # its kind and its text
TOKEN = re.compile(
    r"(?P<number>\d+\.?\d*(?:e[+-]?\d+)?)|(?P<name>(?:[^\W\d]|%)[\w%]*(?:#\d+)?)|(?P<power>\*\*)|(?P<times>\*)|(?P<other>\S)"
)
UPRIGHT = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "max", "min"}
SPECIAL = str.maketrans(
    {sign: f"\\{sign}" for sign in "_#%&${}"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
)


def markdown(record: Sweep) -> Stack:
    """A sweep as a page of Markdown: a section for each source line."""
    texts = [*_head(record), *_sections(record.statements), *_legend(record), *_end(record)]
    return Stack(*(line(text) for text in texts))


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
        yield f"## {code(heading(first))}" + (f" — {where}" if where else "")
        yield ""
        for step in steps(group):
            yield from (code(step), "")
        yield "|  | adds | after | before | amount |"
        yield "| --- | --- | ---: | ---: | ---: |"
        for each in (each for statement in group for each in statement.additions):
            numbers = " | ".join(short(number) for number in (each.after, each.before, each.amount))
            yield f"| {code(each.name)} | {code(each.term)} | {numbers} |"
        yield ""


def steps(group: Group) -> Iterator[str]:
    """What the numbers stand for by which parts of a line are called."""
    return (defined(statement) for statement in group if statement.source and is_step(statement))


def _legend(record: Sweep) -> Iterator[str]:
    for text in explained(record):
        yield from (text, "")


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
        yield from (rf"\\ {typed(step)}" for step in steps(group))
        yield r"\begin{align*}"
        yield from _aligned([" ".join(_equation(each)) for statement in group for each in statement.additions])
        yield r"\end{align*}"
    yield from (rf"\noindent {typed(text)}\\" for text in explained(record))
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
    text = typed(heading(first))
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
    return " ".join(_mathematics([(token.lastgroup or "other", token[0]) for token in TOKEN.finditer(text)]))


def _mathematics(tokens: Sequence[Token]) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        kind, text = tokens[at]
        at += 1
        if kind == "power":
            end = _end_of_operand(tokens, at)
            yield f"^{{{' '.join(_mathematics(tokens[at:end]))}}}"
            at = end
        else:
            yield WRITTEN[kind](text)


def _end_of_operand(tokens: Sequence[Token], at: int) -> int:
    """Where an exponent ends: signs, a number, a name or a bracket, then its subscripts, arguments and attributes."""
    while at < len(tokens) and tokens[at][1] in ("-", "+"):
        at += 1
    at = _end_of_bracket(tokens, at)
    while at < len(tokens) and tokens[at][1] in ("(", "[", "."):
        at = at + 2 if tokens[at][1] == "." else _end_of_bracket(tokens, at)
    if at < len(tokens) and tokens[at][0] == "power":
        return _end_of_operand(tokens, at + 1)
    return at


def _end_of_bracket(tokens: Sequence[Token], at: int) -> int:
    """Where what begins at a token ends: with it, or where it is a bracket with the one that closes it."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end][1] in ("(", "[")) - (tokens[end][1] in (")", "]"))
        if depth <= 0:
            return end + 1
    return len(tokens)


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
