"""A sweep as Markdown and as LaTeX: each source line, followed by its sums as a table or as equations."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from gradcli.shared.latex_formulas import GREEK, LETTERS, SPECIAL, LatexFormulas, latex_number, typed
from gradcli.shared.records.explanations import ForwardSweep
from gradcli.shared.records.result_and_finding import ByName, Structure
from gradcli.terminal.render.layout.numbers import DIGITS, by_component, count, exact, few, rounded, shape, short
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.theme import TIMES
from gradcli.terminal.render.sweeps.aligned_sums import Sum
from gradcli.terminal.render.sweeps.opening_example import example, sentence
from gradcli.terminal.render.sweeps.outline import CallHead, Entry, LoopHead, SourceLine, Summary, Sweep, outline
from gradcli.terminal.render.sweeps.terminal_lines import (
    called,
    explained,
    heading,
    steps_of,
    summed_up,
    sums_of,
    values,
    which_call,
    which_iteration,
)
from gradcli.terminal.render.tapes.node_labels import place

NAME = re.compile(r"(?<![\w.])(?:[^\W\d]|%)[\w%]*(?:\.(?!m?T\b)[^\W\d]\w*)*(?:#\w+(?:\.\w+)*)?")
KEYWORDS = {"None", "True", "False", "and", "or", "not", "if", "else", "in", "lambda", "for"}


def maths(text: str, operands: ByName = MappingProxyType({})) -> str:
    """A term as a formula; products of arrays among the `operands` are elementwise."""
    names: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        before, after = match.string[: match.start()], match.string[match.end() :]
        if match[0] in KEYWORDS or before.endswith(("'", '"')) or re.match(r"=(?!=)", after):
            return match[0]
        return names.setdefault(match[0], f"n{len(names)}")

    readable = NAME.sub(plain, text)
    try:
        tree = ast.parse(readable, mode="eval").body
    except SyntaxError:
        return typed(text)
    originals = {short: name for name, short in names.items()}
    return LatexFormulas(symbol, lambda name: isinstance(operands.get(name), (list, tuple)), originals).text(tree)


def symbol(name: str) -> str:
    """A name with the part after its first underscore as a subscript, and its version as a superscript."""
    stem, _, version = name.partition("#")
    letter, _, below = stem.partition("_")
    written = _letters(letter) if letter or not below else ""
    if below:
        written += rf"_{{{_letters(below)}}}"
    return written + (rf"^{{({version})}}" if version else "")


def _letters(text: str) -> str:
    """A single letter in italics, a Greek letter by name, a letter with a subscript number, or a word upright."""
    if text in GREEK or text in LETTERS:
        return GREEK.get(text) or LETTERS[text]
    match = re.fullmatch(r"([^\W\d_])(\d*)", text)
    if match:
        return match[1] + (f"_{{{match[2]}}}" if match[2] else "")
    return rf"\{'mathrm' if text.isascii() else 'text'}{{{text.translate(SPECIAL)}}}"


ROWS_OF_A_PAGE = 15
LONGEST = 200  # characters of a LaTeX formula that fits on one line
WIDEST = 110  # characters of a LaTeX formula that leaves room for numbers beside it
DEEPEST = 6  # the deepest level of a Markdown heading
MOST_ENTRIES = 6  # elements of an array written out in LaTeX


def markdown(record: Sweep, expand: bool = False, iteration: Sequence[int] = ()) -> Stack:
    """A sweep as Markdown: one section per source line, deeper within loops and calls."""
    entries = [*outline(record, expand, iteration)]
    sections = (text for entry in entries for text in SECTIONS[type(entry)](entry))
    legend = (part for text in explained(record, entries) for part in (text, ""))
    return Stack(*(line(text) for text in [*_head(record), *sections, *legend, *_end(record)]))


def latex(record: Sweep, expand: bool = False, iteration: Sequence[int] = ()) -> Stack:
    """A sweep as LaTeX for a document that loads amsmath."""
    entries = [*outline(record, expand, iteration)]
    texts = (text for entry in entries for text in PARAGRAPHS[type(entry)](entry, record.operands))
    legend = (rf"\noindent {typed(text)}\\" for text in explained(record, entries))
    opening = [rf"\noindent {_text(sentence(example(record)))}", ""] if example(record) else []
    return Stack(*(Row([(text, "")]) for text in [*opening, *texts, *legend, *_ending(record)]))


def _head(record: Sweep) -> list[str]:
    point = ", ".join(f"{name} = {exact(number)}" for name, number in by_component(record.point))
    opening = [sentence(example(record)), ""] if example(record) else []
    return [f"# {code(record.target)}", "", f"At {point}; value {short(record.value)}.", "", *opening]


def _section(depth: int, source: str, where: str) -> str:
    level = "#" * min(2 + depth, DEEPEST)
    return f"{level} {code(source)}" + (f" — {where}" if where else "")


def _line_section(entry: SourceLine) -> Iterator[str]:
    first = entry.first
    gave = values(entry)
    yield from (_section(entry.depth, heading(entry), place(first.file, first.line)), "")
    for text in [f"gives {code(gave)}" if gave else "", *(remark.text for remark in entry.remarks)]:
        yield from (text[:1].upper() + text[1:], "") if text else ()
    for step in steps_of(entry):
        yield from (code(step), "")
    if entry.statements:
        yield "|  | adds | now | before + amount |"
        yield "| --- | --- | ---: | ---: |"
    for total in sums_of(entry):
        after, before, amount = total.numbers
        sum_ = f"{before} {total.sign} {amount}" if before else ""
        yield f"| {code(total.name)} | {code(total.term)} | {after} | {sum_} |"
    yield ""


def _loop_section(entry: LoopHead) -> Iterator[str]:
    scope = entry.scope
    yield from (_section(entry.depth, scope.source or "a loop", place(scope.file, scope.line)), "")
    yield from (which_iteration(entry).capitalize() + ".", "")


def _call_section(entry: CallHead) -> Iterator[str]:
    scope = entry.scope
    if not entry.is_below:
        yield from (_section(entry.depth, scope.source or "", place(scope.file, scope.line)), "")
    yield from (f"In {code(called(entry))}{which_call(entry)}:", "")


def _summary_section(entry: Summary) -> Iterator[str]:
    totals = ", ".join(f"{code(name)} = {few(after)}" for name, after in entry.totals)
    text = summed_up(entry)
    yield from (f"{text[:1].upper()}{text[1:]}: {totals or 'nothing'}.", "")


def _end(record: Sweep) -> list[str]:
    if isinstance(record, ForwardSweep):
        return [f"The derivative in this direction is {exact(record.derivative)}."]
    rows = [f"| {code(name)} | {exact(number)} |" for name, number in by_component(record.gradient)]
    return ["## The gradient", "", "| name | gradient |", "| --- | ---: |", *rows]


def code(text: str) -> str:
    """Text as Markdown code, also within a table."""
    return "`" + text.replace("`", "'").replace("|", "\\|") + "`"


def _line_paragraph(entry: SourceLine, operands: ByName) -> Iterator[str]:
    first = entry.first
    yield _paragraph(heading(entry), place(first.file, first.line))
    yield from (rf"\\ \textit{{{_text(remark.text)}}}" for remark in entry.remarks)
    yield from (rf"\\ {typed(step)}" for step in steps_of(entry))
    equations = [_equation(sum_, operands) for sum_ in sums_of(entry)]
    yield from _aligned(equations) if equations else ("",)


def _loop_paragraph(entry: LoopHead, operands: ByName) -> Iterator[str]:
    yield _paragraph(entry.scope.source or "a loop", place(entry.scope.file, entry.scope.line))
    yield rf"\\ \textit{{{_text(which_iteration(entry))}}}"
    yield ""


def _call_paragraph(entry: CallHead, operands: ByName) -> Iterator[str]:
    if not entry.is_below:
        yield _paragraph(entry.scope.source or "", place(entry.scope.file, entry.scope.line))
    yield rf"\noindent\textit{{in}} {typed(called(entry))}{_text(which_call(entry))}"
    yield ""


def _summary_paragraph(entry: Summary, operands: ByName) -> Iterator[str]:
    totals = ", ".join(f"${maths(name)} = {_number(after)}$" for name, after in entry.totals)
    yield rf"\noindent\textit{{{_text(summed_up(entry))}:}} {totals or 'nothing'}."
    yield ""


def _ending(record: Sweep) -> Iterator[str]:
    if isinstance(record, ForwardSweep):
        yield rf"The derivative in this direction is ${_number(record.derivative)}$."
        return
    yield from _aligned(
        [
            rf"\frac{{\partial f}}{{\partial {maths(name)}}} &= {_number(number)}"
            for name, number in by_component(record.gradient)
        ]
    )


def _aligned(equations: Sequence[str]) -> Iterator[str]:
    """Equations aligned below each other; many may go on on the next page."""
    many = len(equations) > ROWS_OF_A_PAGE
    yield (r"\begingroup\allowdisplaybreaks" if many else "") + r"\begin{align*}"
    for number, equation in enumerate(equations, 1):
        yield equation + (r" \\" if number < len(equations) else "")
    yield r"\end{align*}" + (r"\endgroup" if many else "")


def _paragraph(text: str, where: str) -> str:
    return (rf"\noindent {typed(where)}\quad " if where else r"\noindent ") + typed(text)


def _text(text: str) -> str:
    return text.translate(SPECIAL).replace(TIMES, r"$\times$").replace("<", r"$<$").replace(">", r"$>$")


def _equation(total: Sum, operands: ByName) -> str:
    """`s += term` with its result, on the same line if there is room."""
    after, before, amount = (_number(number) for number in (total.after, total.before, total.amount))
    left = rf"{maths(total.name)} &\mathrel{{+}}= {maths(total.term, operands)}"
    if len(left) > LONGEST:
        first, *others = addends(total.term)
        left = rf"{maths(total.name)} &\mathrel{{+}}= {maths(first, operands)}"
        left += "".join(rf" \\ &\quad {text[0]} {maths(text[2:], operands)}" for text in others)
    numbers = after if not total.numbers[1] else rf"{after} = {before} {total.sign} {amount.removeprefix('-')}"
    gap = r" \\ &\hphantom{{}\mathrel{+}}=" if len(left) > WIDEST else " &&="
    return f"{left}{gap} {numbers}"


def addends(term: str) -> list[str]:
    """The addends of a sum, each after the first with its sign: `a`, `- b`."""
    depth, start, parts = 0, 0, []
    for at, sign in enumerate(term):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth and term[at : at + 3] in (" + ", " - "):
            parts.append(term[start:at])
            start = at + 1
    return [*parts, term[start:]]


def _number(structure: Structure) -> str:
    """A number to six digits, a small array as a matrix, a large one by its shape."""
    if isinstance(structure, float):
        return latex_number(rounded(structure, DIGITS))
    if not isinstance(structure, (list, tuple)):
        return maths(exact(structure))
    lengths = shape(structure)
    if count(structure) > MOST_ENTRIES or len(lengths) > 2:
        space = r" \times ".join(map(str, lengths))
        return rf"{{\ldots}} \in \mathbb{{R}}^{{{space}}}"
    rows = structure if len(lengths) == 2 else [structure]
    texts = [" & ".join(map(_number, row)) for row in rows if isinstance(row, (list, tuple))]
    return r"\begin{pmatrix} " + r" \\ ".join(texts) + r" \end{pmatrix}"


SECTIONS: dict[type[Entry], Callable[..., Iterator[str]]] = {
    SourceLine: _line_section,
    LoopHead: _loop_section,
    CallHead: _call_section,
    Summary: _summary_section,
}
PARAGRAPHS: dict[type[Entry], Callable[..., Iterator[str]]] = {
    SourceLine: _line_paragraph,
    LoopHead: _loop_paragraph,
    CallHead: _call_paragraph,
    Summary: _summary_paragraph,
}
