"""`gradcli tape`: a line for every node, in the order of execution, and every outcome that shaped the run; or a tree.

The tree leads from the result down to the inputs: a node that is used twice is drawn once, then referred to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean
from gradcli.shared.records.result_and_finding import Structure
from gradcli.shared.records.tapes import Node, Outcome, TapeListing
from gradcli.terminal.render.layout.heading import heading, value
from gradcli.terminal.render.layout.numbers import WHOLE_UP_TO, aligned, brief, count, rough, short
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Row, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import ELLIPSIS, NAME, NOTHING, OPERATION, PLAIN, QUIET, RESULT, TIMES, TITLE
from gradcli.terminal.render.layout.wrapped_text import columns
from gradcli.terminal.render.tapes.node_labels import handle, label, names_of, operation, own_name, place
from gradcli.terminal.render.tapes.selection import between, first_turns, influence, result_of, top

DEEPEST = 12  # levels; what lies deeper starts a tree of its own below


class Tree(Frozen, Drawing):
    """The nodes below some roots.

    Args:
        nodes: the nodes of the tape by their indices; calls of libraries may be folded into one.
        labels: what each is called and how it was computed, by their indices.
        root: the node to begin with.
    """

    nodes: Mapping[int, Node]
    labels: Mapping[int, tuple[str, str]]
    root: int

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        drawn: set[int] = set()
        roots = [self.root]
        while roots:
            root = roots.pop(0)
            if root not in drawn:
                if drawn:
                    yield []
                yield from self._below(root, drawn, roots, width)

    def _below(self, root: int, drawn: set[int], roots: list[int], width: int) -> Iterator[Line]:
        """A root and what hangs on it, without recursion: a tape may be long."""
        waiting = [(root, "", "", 0)]
        while waiting:
            index, here, further, depth = waiting.pop()
            node = self.nodes[index]
            if index in drawn or depth > DEEPEST:
                where = "above" if index in drawn else "below"
                yield [(here, QUIET), (clean(self.labels[index][0]), NAME), (f"  ({where})", QUIET)]
                if index not in drawn:
                    roots.append(index)
                continue
            drawn.add(index)
            whole = self._line(node, here, short)
            yield whole if columns(whole) <= width else self._line(node, here, brief)
            children = list(dict.fromkeys(node.inputs))
            for number, child in reversed(list(enumerate(children))):
                last = number == len(children) - 1
                waiting.append(
                    (child, further + ("└─ " if last else "├─ "), further + ("   " if last else "│  "), depth + 1)
                )

    def _line(self, node: Node, branch: str, shown: Callable[[Structure], str]) -> Line:
        name, operation = self.labels[node.index]
        value, sensitivity = shown(node.value), shown(node.sensitivity)
        return [
            (branch, QUIET),
            (clean(name), NAME),
            (f" = {clean(operation)}" if operation else "", OPERATION),
            (f"  → {value}", ""),
            (f"  s {sensitivity}", RESULT),
        ]


NODES_ON_A_TERMINAL = 400
BRIEF_AS = "numbers to six digits, arrays by their size"


def view(
    record: TapeListing,
    look: Look,
    *,
    part: str = "",
    of: str = "",
    expand: bool = False,
) -> Stack:
    """A tape as it is shown.

    Args:
        record: the tape.
        look: what the stream can show.
        part: what of it: the tree, the branches, the top nodes or a path; all by default.
        of: how many nodes (top), or from where to where (path).
        expand: every turn of every loop.
    """
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *value(record.value, look),
        *body(record, look, part, of, expand),
    )


def body(record: TapeListing, look: Look, part: str, of: str, expand: bool) -> Iterable[Row | Sheet | Tree]:
    """What stands below the heading."""
    if part == "branches":
        outcome_lines = list(outcomes(record.outcomes))[1:]
        return outcome_lines or [line(("no comparison or rounding shaped this run", QUIET))]
    if part == "tree":
        names = names_of(record)
        labels = {node.index: label(record, node, names) for node in record.nodes}
        return [Tree({node.index: node for node in record.nodes}, labels, result_of(record))]
    if part == "top":
        chosen = top(record.nodes, int(of))
        return [nodes(record, [(node, "") for node in chosen], [rough(influence(node), 4) for node in chosen])]
    chosen = between(record, of) if part == "path" else list(record.nodes)
    turns = [(node, "") for node in chosen] if expand else first_turns(chosen)
    shown = turns[:NODES_ON_A_TERMINAL] if look.terminal else turns
    remarks = rest(record, turns, look)
    return [nodes(record, shown), *remarks, *(outcomes(record.outcomes) if not part else [])]


def nodes(record: TapeListing, turns: Sequence[tuple[Node, str]], influences: Sequence[str] = ()) -> Sheet:
    """One row a node, with how often it comes where a loop is folded."""
    shown = [node for node, _ in turns]
    names = names_of(record)
    return Sheet(
        Column("node", [handle(node.index) for node in shown], QUIET, right=True),
        Column("times", [times for _, times in turns], NAME),
        Column("name", [clean(own_name(record, node)) for node in shown], NAME),
        Column("operation", [clean(operation(node, names)) for node in shown], OPERATION, wraps=True),
        numbers("value", [node.value for node in shown], PLAIN),
        numbers("sensitivity", [node.sensitivity for node in shown], RESULT),
        *([Column("|value * s|", influences, right=True)] if influences else []),
        Column("line", [clean(place(node.file, node.line)) for node in shown], QUIET, rank=2),
        Column("source", [clean((node.source or "").strip()) for node in shown], QUIET, rank=3),
        brief_as=BRIEF_AS,
    )


def numbers(title: str, structures: Sequence[Structure], style: str) -> Column:
    """A column of numbers and arrays."""
    full, shorter = ([form(structure) for structure in structures] for form in (short, brief))
    return Column(title, aligned(full), style, brief=None if shorter == full else aligned(shorter))


def rest(record: TapeListing, turns: Sequence[tuple[Node, str]], look: Look) -> list[Row]:
    """What was shortened, in words."""
    lines = []
    if any(times for _, times in turns):
        lines += [f"{TIMES}n: the first of n turns of a loop (--expand shows all {len(record.nodes)} nodes)"]
    more = len(turns) - NODES_ON_A_TERMINAL
    if look.terminal and more > 0:
        lines.append(f"{ELLIPSIS} {more} more nodes (a pipe or --json shows all)")
    if any(count(node.value) > WHOLE_UP_TO for node, _ in turns):
        lines.append("arrays are shortened (--json has them whole)")
    return [line((text, QUIET)) for text in lines]


def outcomes(entries: Sequence[Outcome]) -> Iterable[Row | Sheet]:
    """Where a recorded value became a plain fact: what was asked, what came out, and before which node."""
    if not entries:
        return
    yield line()
    yield line(("outcomes", TITLE))
    yield Sheet(
        Column("before", [handle(outcome.before) for outcome in entries], QUIET, right=True),
        Column(
            "asked",
            [clean(question(outcome)) for outcome in entries],
            OPERATION,
            brief=[clean(question(outcome, brief)) for outcome in entries],
            wraps=True,
        ),
        Column(
            "outcome",
            [clean(short(outcome.outcome)) for outcome in entries],
            RESULT,
            brief=[clean(brief(outcome.outcome)) for outcome in entries],
        ),
        Column("line", [clean(place(outcome.file, outcome.line)) for outcome in entries], QUIET, rank=1),
        brief_as=BRIEF_AS,
    )


SIGNS = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "floor_divide": "//",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "floordiv": "//",
}


def question(outcome: Outcome, form: Callable[[Structure], str] = short) -> str:
    """`3.0 < 1.0`, or `bool 3.0`; a question of arrays in the names of the program, `x > 0`."""
    if outcome.expression and any(isinstance(operand, (list, tuple)) for operand in outcome.operands):
        return outcome.expression
    operands = [form(operand) for operand in outcome.operands]
    sign = SIGNS.get(outcome.operation, outcome.operation)
    if len(operands) == 2 and not sign.isidentifier():
        return f"{operands[0]} {sign} {operands[1]}"
    return f"{sign} {', '.join(operands)}".strip() or NOTHING
