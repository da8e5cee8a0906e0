"""Statements of a sweep as lines: each source line once, what it adds below it, and of a loop one turn for all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gradcli.records import Explanation, ForwardSweep, Statement, Structure
from gradcli.render.layout.drawing import Row
from gradcli.render.layout.numbers import short
from gradcli.render.layout.text import clean, line
from gradcli.render.layout.theme import NAME, QUIET, TIMES
from gradcli.render.sweeps.accumulations import Headline, Listing, Sum
from gradcli.render.tapes.loop_folding import Item, Loop, folded, places
from gradcli.render.tapes.node_labels import place

INDENT = "  "
IN_A_GROUP = 8  # statements of one line that are shown; a comprehension may have a thousand

Sweep = Explanation | ForwardSweep
Group = Sequence[Statement]  # the statements of one source line, in the order of the sweep


def listing(statements: Sequence[Statement], expand: bool = False) -> Listing:
    """All statements of a sweep, in its order; with `expand`, every turn of every loop."""
    told = groups(statements)
    items: list[Item] = list(range(len(told))) if expand else folded([key(group) for group in told])
    return Listing([piece for item in items for piece in listed(item, told, expand)])


def groups(statements: Sequence[Statement]) -> Sequence[Group]:
    """Statements of one source line that stand together, as of `a, b = x`; in a loop, those of each turn."""
    found: list[list[Statement]] = []
    for statement in statements:
        if found and statement.line and beside(found[-1], statement):
            found[-1].append(statement)
        else:
            found.append([statement])
    return found


def beside(group: Group, statement: Statement) -> bool:
    """Whether a statement belongs to the line of a group, and is not the same one of another turn."""
    here = (group[-1].file, group[-1].line) == (statement.file, statement.line)
    return here and stem(statement.name) not in {stem(other.name) for other in group}


def stem(name: str) -> str:
    """A name without the number that it has where it is bound again: `x` for `x#3`."""
    return name.partition("#")[0]


def key(group: Group) -> object:
    """What a turn of a loop has in common with the next: the line, and how many statements it holds."""
    first = group[0]
    return (first.file, first.line, len(group)) if first.line else first.index


def listed(item: Item, told: Sequence[Group], expand: bool, indent: str = "") -> Iterator[Row | Headline | Sum]:
    """The lines of one group, or of one loop."""
    if isinstance(item, Loop):
        yield from loop(item, told, indent)
    else:
        yield from group_lines(told[item], expand, indent)


def group_lines(group: Group, expand: bool, indent: str) -> Iterator[Row | Headline | Sum]:
    """The source line with the values that it gave, and what each of its statements adds."""
    shown = group if expand else group[:IN_A_GROUP]
    named = (statement for statement in sorted(shown, key=lambda each: each.index) if not is_step(statement))
    values = ", ".join(short(statement.value) for statement in named)
    first = group[0]
    yield line()
    yield Headline(
        indent, place(first.file, first.line), clean(heading(first)), clean(values) if len(shown) == len(group) else ""
    )
    for statement in shown:
        if first.source and is_step(statement):
            yield Headline(indent + INDENT, "", clean(defined(statement)), clean(short(statement.value)))
        for each in statement.additions:
            yield Sum(indent + INDENT, clean(each.name), clean(each.term), each.after, each.before, each.amount)
    if len(shown) < len(group):
        yield line((f"{indent}{INDENT}{len(group) - len(shown)} more of this line (--expand shows all)", QUIET))


def heading(statement: Statement) -> str:
    """The source line of a statement, or its formula where it has none."""
    return statement.source or (defined(statement) if is_step(statement) else statement.expression)


def is_step(statement: Statement) -> bool:
    """Whether a statement is a part of a line that has a number for a name."""
    return statement.name.startswith("%")


def defined(statement: Statement) -> str:
    """What a number stands for: `%3 = x * y`; of an array that is written into, the assignment."""
    return f"{statement.name}{':' if ' = ' in statement.expression else ' ='} {statement.expression}"


def loop(item: Loop, told: Sequence[Group], indent: str) -> Iterator[Row | Headline | Sum]:
    """The first turn that the sweep meets, and what all turns came to."""
    which = "last" if backwards(told) else "first"
    yield line()
    yield line((f"{indent}{TIMES}{item.times} ", NAME), (f"a loop; its {which} turn (--expand shows all)", QUIET))
    for inner in item.turns[0]:
        yield from listed(inner, told, False, indent + INDENT)
    yield line()
    yield line((f"{indent}{TIMES}{item.times} ", NAME), ("after all turns", QUIET))
    for name, after in sums(item, told):
        yield line(indent + INDENT + clean(f"{name} = {short(after)}"))


def backwards(told: Sequence[Group]) -> bool:
    """Whether the sweep goes from the result to the inputs."""
    return told[0][0].index > told[-1][-1].index


def sums(item: Loop, told: Sequence[Group]) -> Iterator[tuple[str, Structure]]:
    """What a loop leaves behind: backwards the sensitivities on what was computed before it, forwards its last turn."""
    statements = [statement for at in places([item]) for statement in told[at]]
    if not backwards(told):
        statements = [statement for at in places(item.turns[-1]) for statement in told[at]]
    inside = {statement.index for statement in statements} if backwards(told) else set()
    found = {each.name: each for statement in statements for each in statement.additions if each.node not in inside}
    return ((name, each.after) for name, each in found.items())


def explained(record: Sweep) -> Iterator[str]:
    """What stands in a term and is neither the program's nor NumPy's: `%c1`, `vjp(f, x)[1](s)[0]`, `conj(s)`."""
    terms = " ".join(f"{each.name} {each.term}" for statement in record.statements for each in statement.additions)
    formulas = " ".join(statement.expression for statement in record.statements if is_step(statement))
    listed = {statement.name for statement in record.statements}
    for name in dict.fromkeys(re.findall(r"(?<!\w)%\w+", f"{terms} {formulas}")):
        if name in record.operands and name not in listed:
            yield f"{name} = {short(record.operands[name])}"
    if "vjp(" in terms:
        yield "vjp(f, x)[1](s)[0]: s times the Jacobian of f at x, by gradcli.vjp"
    if "jvp(" in terms:
        yield "jvp(f, (x,), (d,))[1]: the Jacobian of f at x times d, by gradcli.jvp"
    if "conj(" in terms and isinstance(record, Explanation):
        yield "conj: the sensitivity on a complex number is df/dRe + i df/dIm"
