"""The scope of each node in the program: the call, the loop and the iteration that made it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import NamedTuple

from gradcli.engine.code.stack_frames import Place
from gradcli.engine.code.statements_by_line import LoopLines, source_lines
from gradcli.engine.traces.names_and_source_lines import Activation, Visits, Watch

CALL, LOOP, ITERATION = "call", "loop", "iteration"


class ProgramScope:
    """A call, a loop, or one iteration of a loop.

    Attributes:
        kind: "call", "loop" or "iteration".
        parent: the enclosing scope; None in the outermost call.
        file, line: the line of the call, or of the loop's head.
        name: the name of the called function; empty for loops.
        number, of: the number of this call of the function, or of this iteration, counted from 1, and the total. For a
            loop, `of` is the number of its iterations.
        activation: for a call, its arguments and its result.
    """

    def __init__(
        self,
        kind: str,
        parent: ProgramScope | None,
        place: Place,
        number: int = 0,
        activation: Activation | None = None,
    ) -> None:
        self.kind, self.parent = kind, parent
        self.file, self.line = place
        self.name = activation.name if activation else ""
        self.number, self.of, self.activation = number, 0, activation

    def up(self) -> Iterator[ProgramScope]:
        """Yield this scope and its enclosing scopes, innermost first."""
        scope: ProgramScope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


class _OpenLoop:
    """A loop that is being executed. An iteration starts with its head, and counts once its body is reached.

    Attributes:
        current: the last iteration whose body was reached.
        pending: the iteration whose head was reached, but not yet its body; after the last one it never is.
    """

    def __init__(self, lines: LoopLines, scope: ProgramScope) -> None:
        self.lines, self.scope = lines, scope
        self.current: ProgramScope | None = None
        self.pending: ProgramScope | None = None

    def reach(self, line: int, *, is_inside: bool) -> None:
        """Note that the loop reaches a line. `is_inside` is True while an inner loop continues there."""
        is_one_line = self.lines.first == self.lines.body
        at_head = is_one_line or line < self.lines.body
        if self.pending is not None and (is_one_line or not at_head):
            self._enter(self.pending)
            self.pending = None
        elif not at_head and self.lines.is_endless and line == self.lines.body and not is_inside:
            self._enter(self._following())  # Python does not stop at the head of `while True`
        if at_head and self.pending is None:
            self.pending = self._following()

    def _enter(self, iteration: ProgramScope) -> None:
        """Note that the body of an iteration is reached."""
        self.current, self.scope.of = iteration, iteration.number

    def _following(self) -> ProgramScope:
        """The iteration after the current one."""
        number = self.current.number + 1 if self.current else 1
        return ProgramScope(ITERATION, self.scope, (self.scope.file, self.scope.line), number)


class _Call:
    """A call that is being executed: its scope and the loops it is in."""

    def __init__(self, scope: ProgramScope | None) -> None:
        self.scope = scope
        self.open: list[_OpenLoop] = []

    def innermost(self) -> ProgramScope | None:
        """The innermost scope at present."""
        for loop in reversed(self.open):
            if iteration := loop.pending or loop.current:
                return iteration
        return self.scope


class Site(NamedTuple):
    """A statement within a scope: the scope, the file and the statement's first line; all None for an input."""

    scope: ProgramScope | None = None
    file: str | None = None
    line: int | None = None


class Scopes:
    """The scopes of a watched run; empty for an unwatched one.

    They are made by following the visits to lines in order, once: what is open then is the state of `_calls`.
    """

    def __init__(self, watch: Watch | None) -> None:
        visits = self._visits = watch.visits if watch else Visits()
        self._calls: dict[int, _Call] = {}
        self._counts: Counter[CodeType] = Counter()
        self._sites: dict[int | None, Site] = {None: Site()}
        self._by_visit = [self._visited(number) for number in range(len(visits.places))]
        for call in self._calls.values():
            if call.scope is not None and call.scope.activation is not None:
                call.scope.of = self._counts[call.scope.activation.code]

    def names(self, watch: Watch, count: int) -> dict[int, str]:
        """The names of the first `count` rows, made unique."""
        named = {index: name for index, name in watch.names.items() if index < count}
        return named if watch.is_final else versions(named, lambda index: self.of_visit(watch.bound.get(index)))

    def of_row(self, index: int) -> ProgramScope | None:
        """The innermost scope that made a row; None for the outermost call, and for an input."""
        return self.of_visit(self._visits.of_row(index))

    def function_of_row(self, index: int) -> str:
        """The name of the function whose call made a row; empty for an input."""
        visit = self._visits.of_row(index)
        number = len(self._visits.calls) if visit is None else self._visits.activations[visit]
        return self._visits.calls[number].name if number < len(self._visits.calls) else ""

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
        """The rows that calls returned, with the name of the function. The outermost call is left out."""
        called = ((call.result, call.name.rpartition(".")[2]) for call in self._visits.calls if call.caller is not None)
        return {row: name for row, name in called if row is not None and name.isidentifier()}

    def _site(self, visit: int | None) -> Site:
        if visit not in self._sites:
            assert visit is not None
            file, line = self._visits.places[visit]
            self._sites[visit] = Site(self.of_visit(visit), file, source_lines(file).first(line))
        return self._sites[visit]

    def of_visit(self, visit: int | None) -> ProgramScope | None:
        """The innermost scope of a visit to a line."""
        scope = None if visit is None else self._by_visit[visit]
        while scope is not None and scope.kind == ITERATION and scope.parent and scope.number > scope.parent.of:
            scope = scope.parent.parent  # the head was executed for the last time, without the body
        return scope

    def _visited(self, number: int) -> ProgramScope | None:
        """The innermost scope of a visit, which is the next one."""
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
        caller = self._calls.get(self._visits.activations[activation.caller])
        around = caller.innermost() if caller else None
        head = file, source_lines(file).first(line)
        return ProgramScope(CALL, around, head, self._counts[activation.code], activation)

    def _step(self, call: _Call, file: str, line: int) -> None:
        """Note that a call reaches a line: loops end, start, or proceed to another iteration."""
        while call.open and not call.open[-1].lines.first <= line <= call.open[-1].lines.last:
            call.open.pop()
        known = {loop.lines for loop in call.open}
        for lines in source_lines(file).around(line):
            if lines not in known:
                scope = ProgramScope(LOOP, call.innermost(), (file, lines.first))
                call.open.append(_OpenLoop(lines, scope))
        for depth, loop in enumerate(call.open):
            loop.reach(line, is_inside=any(inner.lines in known for inner in call.open[depth + 1 :]))


def versions(names: Mapping[int, str], scope_of: Callable[[int], ProgramScope | None]) -> dict[int, str]:
    """The names of rows, made unique: `x#5` is the x made in iteration 5 of a loop, or in call 5.

    Repeated names outside loops are `y`, `y#2`, `y#3`; in nested loops `y#2.3`; earlier bindings within one iteration
    `y#2a`. A name that several functions bind is that of the outermost function; the others are `damp.x`, `damp.x#2`.
    """
    scopes = {index: scope_of(index) for index in names}
    functions: dict[str, set[str]] = defaultdict(set)
    for index, name in names.items():
        functions[name].add(function_of(scopes[index]))
    rows: dict[str, list[int]] = defaultdict(list)
    for index, name in sorted(names.items()):
        function = function_of(scopes[index]) if len(functions[name]) > 1 else ""
        rows[f"{function}.{name}" if function else name].append(index)
    unique: dict[int, str] = {}
    for name, indices in rows.items():
        unique |= _numbered(name, indices, [scopes[index] for index in indices])
    return {index: unique[index] for index in names}


def function_of(scope: ProgramScope | None) -> str:
    """The function that a scope belongs to, without its class; empty for the outermost function and for a lambda."""
    name = next((outer.name for outer in scope.up() if outer.kind == CALL), "") if scope else ""
    name = name.rpartition(".")[2]
    return name if name.isidentifier() else ""


def _numbered(name: str, indices: list[int], scopes: list[ProgramScope | None]) -> dict[int, str]:
    if len(indices) == 1:
        return {indices[0]: name}
    count, seen = Counter(scopes), Counter[ProgramScope | None]()
    unique: dict[int, str] = {}
    taken: set[str] = set()
    for index, scope in zip(indices, scopes, strict=True):
        seen[scope] += 1
        own = label(scope)
        given = f"{own}{_letters(seen[scope])}" if own and seen[scope] < count[scope] else own
        if given in taken:
            given = str(1 + max((int(label_) for label_ in taken if label_.isdecimal()), default=1))
        taken.add(given)
        unique[index] = f"{name}#{given}" if given else name
    return unique


def _letters(number: int) -> str:
    """A number in letters: a, b, … z, aa, …"""
    text = ""
    while number:
        number, last = divmod(number - 1, 26)
        text = chr(ord("a") + last) + text
    return text


def label(scope: ProgramScope | None) -> str:
    """The numbers of a scope's iterations and of its call, such as `3` or `2.3`; empty if there is only one of each."""
    parts: list[str] = []
    for outer in scope.up() if scope else ():
        if outer.kind == ITERATION:
            parts.insert(0, str(outer.number))
        if outer.kind == CALL and outer.of > 1:
            parts.insert(0, str(outer.number))
            break
    return ".".join(parts)
