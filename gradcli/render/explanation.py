"""`gradcli explain`: the user's lines, the last one first, and below each what it adds to which sensitivity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.records import Explanation, Statement, Structure
from gradcli.render import gradient
from gradcli.render.drawing import Row, Stack
from gradcli.render.folding import Item, Loop, folded, places
from gradcli.render.heading import heading, value
from gradcli.render.look import Look
from gradcli.render.numbers import count, short
from gradcli.render.sums import Headline, Listing, Sum
from gradcli.render.tape import place
from gradcli.render.text import clean, line
from gradcli.render.theme import NAME, QUIET, TIMES, TITLE

INDENT = "  "
OPENING = "backwards from the result, whose own sensitivity is 1"
IN_A_GROUP = 8  # statements of one line that are shown; a comprehension may have a thousand

Group = Sequence[Statement]  # the statements of one source line, the last one first


def view(record: Explanation, look: Look, expand: bool = False) -> Stack:
    """An explanation as it is shown; with `expand`, every turn of every loop."""
    told = groups(record.statements)
    items: list[Item] = list(range(len(told))) if expand else folded([key(group) for group in told])
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *value(record.value, look),
        line((OPENING if told else "nothing that was computed leads from the inputs to the result", TITLE)),
        Listing([piece for item in items for piece in listed(item, told, expand)]),
        line(),
        line(("the gradient", TITLE)),
        gradient.sheet(record, look),
        *gradient.rest(count(record.gradient), look),
    )


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
    values = ", ".join(short(statement.value) for statement in reversed(shown))
    first = group[0]
    text = first.source or first.expression
    yield line()
    yield Headline(
        indent, place(first.file, first.line), clean(text), clean(values) if len(shown) == len(group) else ""
    )
    for statement in shown:
        for each in statement.additions:
            yield Sum(indent + INDENT, clean(each.name), clean(each.term), each.after, each.before, each.amount)
    if len(shown) < len(group):
        yield line((f"{indent}{INDENT}{len(group) - len(shown)} more of this line (--expand shows all)", QUIET))


def loop(item: Loop, told: Sequence[Group], indent: str) -> Iterator[Row | Headline | Sum]:
    """The last turn of a loop, and what all turns came to."""
    yield line()
    yield line((f"{indent}{TIMES}{item.times} ", NAME), ("a loop; its last turn (--expand shows all)", QUIET))
    for inner in item.turns[0]:
        yield from listed(inner, told, False, indent + INDENT)
    yield line()
    totals = [f"{name} = {short(after)}" for name, after in sums(item, told)]
    yield line((f"{indent}{TIMES}{item.times} ", NAME), ("after all turns", QUIET))
    for text in totals:
        yield line(indent + INDENT + clean(text))


def sums(item: Loop, told: Sequence[Group]) -> Iterator[tuple[str, Structure]]:
    """The sensitivities that a loop leaves behind: of what was computed before it."""
    statements = [statement for at in places([item]) for statement in told[at]]
    inside = {statement.index for statement in statements}
    found = {each.name: each for statement in statements for each in statement.additions if each.node not in inside}
    return ((name, each.after) for name, each in found.items())
