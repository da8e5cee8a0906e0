"""Where in the program each node was made: in which iteration of which loop, within which call."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import NamedTuple

from gradcli.running.variable_names import Activation, Visits, Watch
from gradcli.traces.source_lines import LoopLines, source_lines

CALL, LOOP, ITERATION = "call", "loop", "iteration"


class ProgramScope:
    """A call, a loop, or one iteration of a loop.

    Attributes:
        kind: "call", "loop" or "iteration".
        parent: the scope around it; None in what was run.
        file, line: the line that called, or the head of the loop.
        name: the function that was called; empty for loops.
        number, of: which call of this function, or which iteration, counted from 1, and how many there are; of a loop
            `of` is how many iterations it has.
        activation: of a call, what it was called with and what it returned.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that is known of it
        self,
        kind: str,
        parent: ProgramScope | None,
        file: str,
        line: int,
        name: str = "",
        number: int = 0,
        activation: Activation | None = None,
    ) -> None:
        self.kind, self.parent, self.file, self.line = kind, parent, file, line
        self.name, self.number, self.of = name, number, 0
        self.activation = activation

    def up(self) -> Iterator[ProgramScope]:
        """The scope and those around it, from the inside out."""
        scope: ProgramScope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


class _OpenLoop:
    """A loop that a call is in: the iteration that goes on, and the one whose head was passed."""

    def __init__(self, lines: LoopLines, scope: ProgramScope) -> None:
        self.lines, self.scope = lines, scope
        self.current: ProgramScope | None = None
        self.waiting: ProgramScope | None = None


class _Call:
    """A call that goes on: its scope, and the loops that it is in."""

    def __init__(self, scope: ProgramScope | None) -> None:
        self.scope = scope
        self.open: list[_OpenLoop] = []

    def innermost(self) -> ProgramScope | None:
        """What a line belongs to now."""
        for loop in reversed(self.open):
            if found := loop.waiting or loop.current:
                return found
        return self.scope


class Site(NamedTuple):
    """A statement as one scope runs it: the scope, the file, and its first line; nothing of an input."""

    scope: ProgramScope | None = None
    file: str | None = None
    line: int | None = None


class Scopes:
    """The scopes of a run that was watched; none of one that was not."""

    def __init__(self, watch: Watch | None) -> None:
        visits = self._visits = watch.visits if watch else Visits()
        self._calls: dict[int, _Call] = {}
        self._counts: Counter[CodeType] = Counter()
        self._by_visit = [self._visited(number) for number in range(len(visits.places))]
        for call in self._calls.values():
            if call.scope is not None and call.scope.activation is not None:
                call.scope.of = self._counts[call.scope.activation.code]

    def names(self, watch: Watch, count: int) -> dict[int, str]:
        """The names of the first `count` rows, each of one row alone."""
        named = {index: name for index, name in watch.names.items() if index < count}
        return named if watch.is_final else versions(named, lambda index: self.of_visit(watch.bound.get(index)))

    def of_row(self, index: int) -> ProgramScope | None:
        """The innermost scope that made a row; None for what was run itself, and for an input."""
        return self.of_visit(self._visits.of_row(index))

    def of_outcome(self, number: int) -> ProgramScope | None:
        """The innermost scope that asked for an outcome."""
        return self.of_visit(self._visits.of_outcome(number))

    def site_of_row(self, index: int) -> Site:
        """The statement that made a row."""
        return self._site(self._visits.of_row(index))

    def site_of_outcome(self, number: int) -> Site:
        """The statement that asked for an outcome."""
        return self._site(self._visits.of_outcome(number))

    def results(self) -> dict[int, str]:
        """The rows that calls returned, by the name of the function; the outermost call is none of them."""
        called = ((call.result, call.name.rpartition(".")[2]) for call in self._visits.calls if call.caller is not None)
        return {row: name for row, name in called if row is not None and name.isidentifier()}

    def _site(self, visit: int | None) -> Site:
        if visit is None:
            return Site()
        file, line = self._visits.places[visit]
        return Site(self.of_visit(visit), file, source_lines(file).first(line))

    def of_visit(self, visit: int | None) -> ProgramScope | None:
        """The innermost scope of a visit."""
        scope = None if visit is None else self._by_visit[visit]
        while scope is not None and scope.kind == ITERATION and scope.parent and scope.number > scope.parent.of:
            scope = scope.parent.parent  # the head was passed, and the body left alone
        return scope

    def _visited(self, number: int) -> ProgramScope | None:
        visits = self._visits
        activation = visits.activations[number]
        if activation not in self._calls:
            self._calls[activation] = _Call(self._called(activation))
        call = self._calls[activation]
        if visits.steps[number]:
            self._step(call, *visits.places[number])
        return call.innermost()

    def _called(self, number: int) -> ProgramScope | None:
        """The scope of a call; None for the outermost."""
        activation = self._visits.calls[number] if number < len(self._visits.calls) else None
        if activation is None or activation.caller is None:
            return None
        file, line = self._visits.places[activation.caller]
        self._counts[activation.code] += 1
        around = self._by_visit_so_far(activation.caller)
        first = source_lines(file).first(line)
        return ProgramScope(CALL, around, file, first, activation.name, self._counts[activation.code], activation)

    def _by_visit_so_far(self, visit: int) -> ProgramScope | None:
        call = self._calls.get(self._visits.activations[visit])
        return call.innermost() if call else None

    def _step(self, call: _Call, file: str, line: int) -> None:
        """The call comes to a line: loops end, begin, or go on with another iteration."""
        while call.open and not call.open[-1].lines.first <= line <= call.open[-1].lines.last:
            call.open.pop()
        known = {loop.lines for loop in call.open}
        for lines in source_lines(file).around(line):
            if lines not in known:
                scope = ProgramScope(LOOP, call.innermost(), file, lines.first)
                call.open.append(_OpenLoop(lines, scope))
        for depth, loop in enumerate(call.open):
            self._iterate(loop, line, is_inside=any(inner.lines in known for inner in call.open[depth + 1 :]))

    def _iterate(self, loop: _OpenLoop, line: int, *, is_inside: bool) -> None:
        """A loop comes to a line of its head or of its body; `is_inside` says that a loop within goes on there."""
        lines, scope = loop.lines, loop.scope
        at_head = line < lines.body or lines.first == lines.body
        if at_head and (loop.waiting is None or lines.first == lines.body):
            last = loop.waiting or loop.current
            number = last.number + 1 if last else 1
            if loop.waiting is not None:  # all of it is one line
                loop.current, scope.of = loop.waiting, loop.waiting.number
            loop.waiting = ProgramScope(ITERATION, scope, scope.file, scope.line, "", number)
        elif not at_head and loop.waiting is not None:
            scope.of = loop.waiting.number
            loop.current, loop.waiting = loop.waiting, None
        elif lines.is_endless and line == lines.body and not is_inside:
            number = loop.current.number + 1 if loop.current else 1
            loop.current, scope.of = ProgramScope(ITERATION, scope, scope.file, scope.line, "", number), number


def versions(names: Mapping[int, str], scope_of: Callable[[int], ProgramScope | None]) -> dict[int, str]:
    """The names of rows, each of one row alone: `x#5` is the x that iteration 5 of a loop, or call 5, has made.

    What is bound outside of loops is `y`, `y#2`, `y#3`; in loops within loops, `y#2.3`; what an iteration binds before
    the last time, `y#2a`.
    """
    rows: dict[str, list[int]] = defaultdict(list)
    for index, name in sorted(names.items()):
        rows[name].append(index)
    found: dict[int, str] = {}
    for name, indices in rows.items():
        found |= _numbered(name, indices, [scope_of(index) for index in indices])
    return {index: found[index] for index in names}


def _numbered(name: str, indices: list[int], scopes: list[ProgramScope | None]) -> dict[int, str]:
    if len(indices) == 1:
        return {indices[0]: name}
    count, seen = Counter(scopes), Counter[ProgramScope | None]()
    found: dict[int, str] = {}
    taken: set[str] = set()
    for index, scope in zip(indices, scopes, strict=True):
        seen[scope] += 1
        own = label(scope)
        given = f"{own}{_letters(seen[scope])}" if own and seen[scope] < count[scope] else own
        if given in taken:
            given = str(1 + max((int(each) for each in taken if each.isdecimal()), default=1))
        taken.add(given)
        found[index] = f"{name}#{given}" if given else name
    return found


def _letters(number: int) -> str:
    """A number in letters: a, b, … z, aa, …"""
    text = ""
    while number:
        number, last = divmod(number - 1, 26)
        text = chr(ord("a") + last) + text
    return text


def label(scope: ProgramScope | None) -> str:
    """Which iterations and which call a scope is, as far as there are others: `3`, `2.3`; empty outside of them."""
    parts: list[str] = []
    for each in scope.up() if scope else ():
        if each.kind == ITERATION:
            parts.insert(0, str(each.number))
        if each.kind == CALL and each.of > 1:
            parts.insert(0, str(each.number))
            break
    return ".".join(parts)
