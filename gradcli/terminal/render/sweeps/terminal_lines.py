"""The entries of an outline as lines for a terminal: each source line once, followed by its terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from gradcli.shared.message_wording import clean
from gradcli.shared.records.explanations import Explanation, Statement
from gradcli.terminal.render.layout.numbers import few
from gradcli.terminal.render.layout.styled_lines import Row, line
from gradcli.terminal.render.layout.theme import NAME, QUIET, TIMES
from gradcli.terminal.render.sweeps.aligned_sums import Headline, Listing, Sum
from gradcli.terminal.render.sweeps.outline import CallHead, Entry, LoopHead, SourceLine, Summary, Sweep
from gradcli.terminal.render.tapes.node_labels import place

INDENT = "  "
PRODUCTS = (
    "jvp(call, x)(d): the Jacobian of the call by x times d",
    "vjp(call, x)(s): s times the Jacobian of the call by x",
)
OF_LIBRARY = re.compile(r"\b(?:vjp|jvp)\(.*\)\(")  # what a call of a library's function passes on


def listing(entries: Iterable[Entry]) -> Listing:
    """The entries of a sweep in order."""
    return Listing([part for entry in entries for part in LINES[type(entry)](entry)])


def line_parts(entry: SourceLine) -> Iterator[Row | Headline | Sum]:
    """The source line with its values, remarks on it, and the terms of its statements."""
    indent, first = INDENT * entry.depth, entry.first
    yield line()
    yield Headline(indent, place(first.file, first.line), clean(heading(entry)), clean(values(entry)))
    for remark in entry.remarks:
        yield Headline(indent + INDENT, "", "", "", clean(remark.text))
    for statement in entry.statements:
        if first.source and is_step(statement):
            yield Headline(indent + INDENT, "", clean(defined(statement)), clean(few(statement.value)))
        yield from _sums(statement, indent + INDENT)
    if entry.more:
        yield line((f"{indent}{INDENT}{entry.more} more of this line (--expand shows all)", QUIET))


def loop_parts(entry: LoopHead) -> Iterator[Row | Headline | Sum]:
    """The head of a loop, and the iteration that follows."""
    indent, scope = INDENT * entry.depth, entry.scope
    yield line()
    yield Headline(indent, place(scope.file, scope.line), clean(scope.source or "a loop"))
    yield line((indent + INDENT + which_iteration(entry, typing=True), QUIET))


def call_parts(entry: CallHead) -> Iterator[Row | Headline | Sum]:
    """The calling line, unless it is the previous one, and the call with its arguments."""
    indent, scope = INDENT * entry.depth, entry.scope
    if not entry.is_below:
        yield line()
        yield Headline(indent, place(scope.file, scope.line), clean(scope.source or ""))
    yield line((indent + INDENT + "in ", QUIET), (clean(called(entry)), NAME), (clean(which_call(entry)), QUIET))


def summary_parts(entry: Summary) -> Iterator[Row | Headline | Sum]:
    """The omitted parts and their totals."""
    yield line()
    totals = ", ".join(f"{name} = {few(after)}" for name, after in entry.totals)
    yield Headline(
        INDENT * (entry.depth + 1), "", "", "", f"{summed_up(entry, typing=True)}: {clean(totals) or 'nothing'}"
    )


LINES: dict[type[Entry], Callable[..., Iterator[Row | Headline | Sum]]] = {
    SourceLine: line_parts,
    LoopHead: loop_parts,
    CallHead: call_parts,
    Summary: summary_parts,
}


def which_iteration(entry: LoopHead, typing: bool = False) -> str:
    """The iterations shown; with `typing`, also the option that shows others."""
    count, active = entry.scope.of, entry.active
    aim = f" to {entry.of}" if entry.of else ""
    if not active:
        return f"{plural(count, 'iteration')}, none of which passes anything on{aim}"
    idle = f", {idle_iterations(entry, aim)}" if len(active) < count else ""
    if entry.shown is None:
        return f"{plural(count, 'iteration')}{idle}"
    if entry.shown not in active:
        comes_before = entry.shown < entry.made
        return f"iteration {entry.shown} of {count} " + (
            f"comes before {entry.of}" if comes_before else f"passes nothing on{aim}"
        )
    last = ", the last" if entry.shown == count else ""
    other = next((n for n in active if n != entry.shown), 1)
    hint = f" (--iteration {other}, --expand)" if len(active) > 1 and typing else ""
    return f"iteration {entry.shown} of {count}{last}{idle}{hint}"


def idle_iterations(entry: LoopHead, aim: str) -> str:
    """The iterations that do not contribute, with the reason: `iterations 1 to 5 pass nothing on`."""
    count, active, first = entry.scope.of, entry.active, entry.active[0]
    if [*active] != [*range(first, count + 1)]:
        return f"{count - len(active)} of which pass nothing on{aim}"
    which, s = ("iteration 1", "s") if first == 2 else (f"iterations 1 to {first - 1}", "")
    if first <= entry.made:
        return f"{which} come{s} before {entry.of}"
    return f"{which} pass{'es' if s else ''} nothing on{aim}"


def plural(count: int, noun: str) -> str:
    """A count with a noun: `1 call`, `3 calls`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def called(entry: CallHead) -> str:
    """A call as it would be typed: `power(x, n=19)`."""
    arguments = (name if name == text else f"{name}={text}" for name, text in entry.scope.arguments.items())
    return f"{entry.scope.name}({', '.join(arguments)})"


def which_call(entry: CallHead) -> str:
    """The number of a call among several."""
    return f", call {entry.scope.number} of {entry.scope.of}" if entry.scope.of > 1 else ""


def summed_up(entry: Summary, typing: bool = False) -> str:
    """The omitted parts as the start of a sentence; with `typing`, also the option that shows them."""
    hint = " (--expand shows all)" if typing else ""
    if entry.kind == "loop":
        return f"after {plural(entry.times, 'iteration')}"
    if entry.kind == "alike":
        return f"{TIMES}{entry.times} calls of {entry.name} like this{hint}; after all of them"
    return f"{TIMES}{plural(entry.times, 'call')} of {entry.name} inside{hint}; after all of them"


def heading(entry: SourceLine) -> str:
    """The source line, or the formula of a statement without one."""
    first = entry.first
    if first.source or not isinstance(first, Statement):
        return first.source or ""
    return defined(first) if is_step(first) else first.expression


def values(entry: SourceLine) -> str:
    """The values of a line, with names that the line does not show."""
    named = [
        statement
        for statement in sorted(entry.statements, key=lambda statement: statement.index)
        if not is_step(statement)
    ]
    return "" if entry.more else ", ".join(value_of(statement, heading(entry)) for statement in named)


def value_of(statement: Statement, source: str) -> str:
    """A value, with its name unless the line starts with it."""
    stem = re.match(r"[\w.]+(?:\[[^]]*\])?", statement.name)
    named = statement.name == "result" or (stem and stem[0] == statement.name and statement.name in source)
    return few(statement.value) if named or statement.source is None else f"{statement.name} = {few(statement.value)}"


def sums_of(entry: SourceLine) -> Iterator[Sum]:
    """The terms of the statements of a line."""
    for statement in entry.statements:
        yield from _sums(statement, "")


def _sums(statement: Statement, indent: str) -> Iterator[Sum]:
    for addition in statement.additions:
        yield Sum(indent, clean(addition.name), clean(addition.term), addition.after, addition.before, addition.amount)


def steps_of(entry: SourceLine) -> Iterator[str]:
    """The definitions of the numbered parts of a line."""
    return (defined(statement) for statement in entry.statements if entry.first.source and is_step(statement))


def is_step(statement: Statement) -> bool:
    """Whether a statement is a part of a line, named by a number."""
    return statement.name.startswith("%")


def defined(statement: Statement) -> str:
    """The definition of a numbered part: `%3 = x * y`; for a write into an array, the assignment."""
    return f"{statement.name}{':' if ' = ' in statement.expression else ' ='} {statement.expression}"


def numbered_names(record: Sweep, statements: Iterable[Statement]) -> str:
    """What the numbers of names mean, by an example of each kind: `y#2 is the second y`."""
    kinds: dict[str, str] = {}
    for statement in statements:
        name, _, number = statement.name.partition("#")
        scope = None if statement.within is None else record.scopes[statement.within]
        own = name.rpartition(".")[2]
        if scope is None and number in ORDINALS:
            kinds.setdefault("", f"{statement.name} is the {ORDINALS[number]} {name}")
        elif scope is not None and str(scope.number) == number and scope.kind in {"iteration", "call"}:
            where = f"iteration {number}" if scope.kind == "iteration" else f"call {number} of {scope.name}"
            is_result = own == scope.name.rpartition(".")[2]
            meaning = f"the result of {where}" if is_result else f"the {own} computed in {where}"
            kinds.setdefault(scope.kind, f"{statement.name} is {meaning}")
    return "; ".join(kinds.values())


ORDINALS = {"2": "second", "3": "third", "4": "fourth", "5": "fifth"}


def explained(record: Sweep, entries: Iterable[Entry]) -> Iterator[str]:
    """The explanation of notation in some entries that is neither the program's nor NumPy's: `x#4`, `%c1`,
    `vjp(f, x)[1](s)[0]`.
    """
    statements = [part for entry in entries if isinstance(entry, SourceLine) for part in entry.statements]
    if numbers := numbered_names(record, statements):
        yield numbers
    terms = " ".join(f"{addition.name} {addition.term}" for statement in statements for addition in statement.additions)
    formulas = " ".join(statement.expression for statement in statements if is_step(statement))
    listed = {statement.name for statement in statements}
    for name in dict.fromkeys(re.findall(r"(?<!\w)%\w+", f"{terms} {formulas}")):
        if name in record.operands and name not in listed:
            yield f"{name} = {few(record.operands[name])}"
    if "vjp(" in terms and ")[1](" in terms:
        yield "vjp(f, x)[1](s)[0]: s times the Jacobian of f at x, by gradcli.vjp"
    if "jvp(" in terms and ",))[1]" in terms:
        yield "jvp(f, (x,), (d,))[1]: the Jacobian of f at x times d, by gradcli.jvp"
    if OF_LIBRARY.search(terms):
        yield f"{PRODUCTS[isinstance(record, Explanation)]}; --libraries shows what is inside"
    if "conj(" in terms and isinstance(record, Explanation):
        yield "conj: the sensitivity to a complex number is df/dRe + i df/dIm"
