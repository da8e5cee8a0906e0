"""A sweep as an outline: the user's statements, the calls that they make, and one iteration per loop.

Each format draws the entries of the outline in order, at the depth that they give.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from gradcli.errors import UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.explanations import Addition, Explanation, ForwardSweep, OutcomeRemark, Scope, Statement
from gradcli.shared.records.result_and_finding import Structure
from gradcli.terminal.render.sweeps.running_sensitivities import RunningSensitivities

Sweep = Explanation | ForwardSweep
Totals = Sequence[tuple[str, Structure]]

LEAST_FOLDED = 3  # minimum number of iterations or similar calls for one to represent all
IN_A_LINE = 8  # statements shown per source line; a comprehension may have thousands


class SourceLine(Frozen):
    """A source line with the terms that it adds and the remarks on it.

    Args:
        depth: the number of loops and calls shown around it.
        statements: its statements, in the order of the sweep.
        remarks: remarks on branches and other outcomes.
        more: the number of statements left out.
    """

    depth: int
    statements: Sequence[Statement]
    remarks: Sequence[OutcomeRemark]
    more: int = 0

    @property
    def first(self) -> Statement | OutcomeRemark:
        """The item that determines the file, the line and the source."""
        return self.statements[0] if self.statements else self.remarks[0]


class LoopHead(Frozen):
    """The head of a loop.

    Args:
        shown: the iteration shown; None for all.
        active: the iterations that contribute.
        of: the quantity that the sweep leads to, if it is not all inputs; `made` is the iteration of this loop that
            computed it, or 0.
    """

    depth: int
    scope: Scope
    shown: int | None
    active: Sequence[int]
    of: str = ""
    made: int = 0


class CallHead(Frozen):
    """The head of a call, whose statements follow; `is_below` if the calling line is the previous entry."""

    depth: int
    scope: Scope
    is_below: bool


class Summary(Frozen):
    """The total of the parts of loops and calls that are left out.

    Args:
        kind: "loop" after a loop, "alike" after one of several similar calls, "within" for calls inside a call.
        times: the number of iterations or calls.
    """

    depth: int
    kind: str
    name: str
    times: int
    totals: Totals


Entry = SourceLine | LoopHead | CallHead | Summary


class _Block:
    """A scope with its content, in the order of the sweep."""

    def __init__(self, scope: Scope | None, index: int | None) -> None:
        self.scope, self.index = scope, index
        self.children: list[_Block | list[Statement | OutcomeRemark]] = []

    def statements(self) -> Iterator[Statement]:
        waiting: list[Any] = [self]
        while waiting:
            entry = waiting.pop()
            if isinstance(entry, _Block):
                waiting += reversed(entry.children)
            else:
                yield from (item for item in entry if isinstance(item, Statement))

    def calls(self) -> int:
        waiting, count = [self], 0
        while waiting:
            entry = waiting.pop()
            count += entry.scope is not None and entry.scope.kind == "call"
            waiting += [child for child in entry.children if isinstance(child, _Block)]
        return count


def outline(record: Sweep, expand: bool = False, iteration: Sequence[int] = ()) -> Iterator[Entry]:
    """The entries of a sweep in order.

    Args:
        expand: whether to show every iteration and call.
        iteration: the number of the iteration to show, and of those in nested loops; by default the first one that the
            sweep reaches.

    Raises:
        UsageError: no loop has that many iterations.
    """
    loops = [scope.of for scope in record.scopes if scope.kind == "loop"]
    if iteration and (not loops or max(loops) < iteration[0]):
        most = f"the longest loop here has {max(loops)} iterations" if loops else "there is no loop here"
        raise UsageError(f"There is no iteration {iteration[0]}: {most}.", hint="Leave out --iteration.")
    return _Walk(record, expand, iteration).entries()


def backwards(record: Sweep) -> bool:
    """Whether the sweep goes from the result to the inputs."""
    return isinstance(record, Explanation)


def _aim(record: Sweep) -> str:
    """What a reverse sweep leads to: a quantity, some of the inputs, or "" for all of them."""
    if not isinstance(record, Explanation):
        return ""
    return record.of or ("" if len(record.gradient) == len(record.point) else " and ".join(record.gradient))


def _iteration_made(record: Sweep, loop: int | None) -> int:
    """The number of the iteration of a loop that computed the quantity a sweep leads to; 0 if none did."""
    made = record.of_within if isinstance(record, Explanation) else None
    scopes = (record.scopes[index] for index in _path(record, made))
    return next((scope.number for scope in scopes if scope.kind == "iteration" and scope.parent == loop), 0)


def _tree(record: Sweep) -> _Block:
    items: list[Statement | OutcomeRemark] = [*record.statements, *record.remarks]
    items.sort(key=lambda item: item.before - 0.5 if isinstance(item, OutcomeRemark) else item.index)
    if backwards(record):
        items.reverse()
    root = _Block(None, None)
    stack = [root]
    for item in items:
        path = _path(record, item.within)
        same = 0
        while same < min(len(path), len(stack) - 1) and stack[same + 1].index == path[same]:
            same += 1
        del stack[same + 1 :]
        for index in path[same:]:
            block = _Block(record.scopes[index], index)
            stack[-1].children.append(block)
            stack.append(block)
        _add(stack[-1], item)
    return root


def _path(record: Sweep, index: int | None) -> list[int]:
    """The scopes around an item, outermost first."""
    scopes: list[int] = []
    while index is not None:
        scopes.append(index)
        index = record.scopes[index].parent
    return scopes[::-1]


def _add(block: _Block, item: Statement | OutcomeRemark) -> None:
    """Add an item to the previous source line if it belongs to the same line, otherwise as a new one."""
    last = block.children[-1] if block.children else None
    here = (item.file, item.line)
    if isinstance(last, list) and item.line is not None and (last[0].file, last[0].line) == here:
        last.append(item)
    else:
        block.children.append([item])


class _Walk:
    """Traverses the tree of a sweep and leaves out repetitions."""

    def __init__(self, record: Sweep, expand: bool, iteration: Sequence[int]) -> None:
        self.record, self.expand, self.iteration = record, expand, iteration
        self.sums = _Sums(record.statements)

    def entries(self) -> Iterator[Entry]:
        """The entries in order, without recursion, because the user's program may recurse as deep as Python allows."""
        waiting: list[Iterator[Entry | Iterator[Any]]] = [self.block(_tree(self.record), 0, 0, ())]
        while waiting:
            entry = next(waiting[-1], None)
            if entry is None:
                waiting.pop()
            elif isinstance(entry, Frozen):
                yield entry
            else:
                waiting.append(entry)

    def block(self, block: _Block, depth: int, loops: int, inside: tuple[str, ...]) -> Iterator[Entry | Iterator[Any]]:
        """The entries of a scope inside `loops` loops and inside calls of the functions `inside`."""
        alike = {} if self.expand else self.alike(block, inside)
        hidden: set[int] = set()
        above: tuple[str | None, int | None] | None = None
        for number, child in enumerate(block.children):
            if number in hidden:
                continue
            before, above = above, None
            if isinstance(child, list):
                above = child[0].file, child[0].line
                yield self.line(child, depth)
            elif child.scope is not None and child.scope.kind == "loop":
                yield self.loop(child, depth, loops, inside)
            elif number in alike:
                end = 1 + max(places[-1] for first, places in alike.items() if first <= alike[number][-1])
                hidden.update(range(number, end))
                yield self.calls(block.children[number:end], before, depth, loops, inside)
            else:
                yield self.call(child, before, depth, loops, inside)

    def alike(self, block: _Block, inside: tuple[str, ...]) -> dict[int, list[int]]:
        """The similar calls represented by one, by the position of the first: of one line, or recursive."""
        groups: dict[Any, list[int]] = {}
        for number, child in enumerate(block.children):
            if isinstance(child, _Block) and child.scope is not None and child.scope.kind == "call":
                scope = child.scope
                key = scope.name if scope.name in inside else (scope.name, scope.file, scope.line)
                groups.setdefault(key, []).append(number)
        return {group[0]: group for key, group in groups.items() if isinstance(key, str) or len(group) >= LEAST_FOLDED}

    def line(self, items: Sequence[Statement | OutcomeRemark], depth: int) -> Iterator[Entry]:
        statements = [item for item in items if isinstance(item, Statement)]
        remarks = [item for item in items if isinstance(item, OutcomeRemark)]
        if backwards(self.record):
            remarks.reverse()
        shown = statements if self.expand else statements[:IN_A_LINE]
        yield SourceLine(depth, shown, remarks, len(statements) - len(shown))

    def loop(self, block: _Block, depth: int, loops: int, inside: tuple[str, ...]) -> Iterator[Entry | Iterator[Any]]:
        """The iteration that is shown, and what all of them come to."""
        turns = {child.scope.number: child for child in block.children if isinstance(child, _Block) and child.scope}
        active = sorted(number for number, turn in turns.items() if any(turn.statements()))
        scope = block.scope
        assert scope is not None
        wanted = self.iteration[loops] if loops < len(self.iteration) else None
        shows_all = wanted is None and (self.expand or len(active) < LEAST_FOLDED)
        first = next(iter(active[::-1] if backwards(self.record) else active), next(iter(turns)))
        shown = None if shows_all else wanted if wanted is not None and wanted <= scope.of else first
        yield LoopHead(depth, scope, shown, active, _aim(self.record), _iteration_made(self.record, block.index))
        if not active:
            return
        for number, turn in turns.items():
            if number == shown or (shown is None and number in active):
                yield self.block(turn, depth + 1, loops + 1, inside)
        if shown is not None or len(active) < scope.of:
            yield Summary(depth, "loop", "", scope.of, self.totals([block]))

    def call(
        self, block: _Block, above: Any, depth: int, loops: int, inside: tuple[str, ...]
    ) -> Iterator[Entry | Iterator[Any]]:
        """A call with its statements, indented."""
        scope = block.scope
        assert scope is not None
        yield CallHead(depth, scope, above == (scope.file, scope.line))
        yield self.block(block, depth + 1, loops, (*inside, scope.name))

    def calls(
        self, children: Sequence[_Block | list[Statement | OutcomeRemark]], above: Any, depth: int, loops: int,
        inside: tuple[str, ...],
    ) -> Iterator[Entry | Iterator[Any]]:  # fmt: skip
        """Calls that are alike, with what is between: one of each function, or none within a call of the same one."""
        blocks = [child for child in children if isinstance(child, _Block)]
        calls = [(block.scope.name, block) for block in blocks if block.scope and block.scope.kind == "call"]
        first = dict(reversed(calls))
        name = " and ".join(reversed(first))
        is_within = any(index in inside for index in first)
        for block in () if is_within else reversed(first.values()):
            yield self.call(block, above, depth, loops, inside)
        times = sum(block.calls() for _, block in calls) if is_within else len(calls)
        yield Summary(depth, "within" if is_within else "alike", name, times, self.totals(children))

    def totals(self, children: Sequence[_Block | list[Statement | OutcomeRemark]]) -> Totals:
        """Backwards the sensitivities to what was made before some scopes, forwards the tangents of their last part."""
        if not backwards(self.record):
            last = children[-1]
            inner = [child for child in last.children if isinstance(child, _Block)] if isinstance(last, _Block) else []
            return tuple(
                {addition.name: addition.after for addition in _additions(inner[-1] if inner else last)}.items()
            )
        statements = [statement for child in children for statement in _statements(child)]
        inside = {statement.index for statement in statements}
        outside = {addition.node for child in children for addition in _additions(child)} - inside
        return self.sums.after(statements[-1], outside)


class _Sums:
    """The sums of a reverse sweep so far, which proceeds as far as it is asked for."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._coming = iter(statements)
        self._reached: set[int] = set()
        self._sensitivities = RunningSensitivities()

    def after(self, last: Statement, nodes: Collection[int]) -> Totals:
        """The names and numbers of the sensitivities to some nodes once the sweep has passed a statement."""
        while last.index not in self._reached:
            statement = next(self._coming)
            self._reached.add(statement.index)
            self._sensitivities.add(statement.additions)
        named = self._sensitivities.names.items()
        return tuple((name, self._sensitivities[node]) for node, name in named if node in nodes)


def _statements(child: _Block | list[Statement | OutcomeRemark]) -> Iterator[Statement]:
    if isinstance(child, _Block):
        return child.statements()
    return (item for item in child if isinstance(item, Statement))


def _additions(child: _Block | list[Statement | OutcomeRemark]) -> Iterator[Addition]:
    return (addition for statement in _statements(child) for addition in statement.additions)
