"""A recorded run as a straight-line program: what the source of a function hides, its tape has.

The program holds for the path of the run.  Each comparison that the run was told the outcome of becomes an assertion.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.derivation.array_functions import array_function
from gradcli.derivation.assembly import Assembly
from gradcli.derivation.deriving import SENSITIVITY, Part, file_text, listed, told
from gradcli.derivation.kinds import NUMBER, STATIC, ValueKind, kind_of, shape_of
from gradcli.derivation.operations import ByPartials, Differentiated, Identity, Read, written
from gradcli.derivation.prelude import literal
from gradcli.derivation.refusal import refuse
from gradcli.derivation.statements import Keep, Let, Routine, Statement, Store, Unpack
from gradcli.derivation.templates import expression, name
from gradcli.errors import ResultError, UnsupportedError
from gradcli.rules.indexing import reads_once
from gradcli.rules.table import Elementwise
from gradcli.traces.node import CONSTANT, TraceNode, TraceOutcome
from gradcli.traces.trace import Trace

COMPARISONS = {
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="},
    **{"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="},
}
WHOLE = {"int": "int", "floor": "math.floor", "ceil": "math.ceil", "round": "round", "trunc": "math.trunc"}
LINALG = frozenset(("solve", "inv", "det", "norm"))


class RecordedFunction:
    """What the text of a file needs to know of a function whose source is not read."""

    def __init__(self, trace: Trace, title: str) -> None:
        self.name = title
        self.namespace: dict[str, Any] = vars(builtins)
        self.comments: dict[int, str] = {}
        self.file = next((node.file for node in trace.nodes if node.file), "")
        self.tree = ast.Pass(lineno=0)

    def text(self, node: Any) -> str:
        """The line of the user's source on which a node stands."""
        return linecache.getline(self.file, node.lineno).strip()


class StraightLine:
    """The straight-line program of a recorded run.

    Args:
        trace: the run, with the user's names.
        inputs: the names of its inputs.
        title: the name of the function, which has to be an identifier.
    """

    def __init__(self, trace: Trace, inputs: Sequence[str], title: str) -> None:
        self.trace = trace
        self.inputs = tuple(inputs)
        self.user = RecordedFunction(trace, title)
        self.taken = set(inputs)
        self.names: dict[int, str] = {}
        self.routine = Routine(title, self.inputs, self.inputs, "", NUMBER)

    def gradient(self, command: str, place: str) -> str:
        """The text of the file of the gradient.

        Raises:
            UnsupportedError: an operation without a written form, by its line.
            ResultError: the result is no number, or does not depend on the inputs.
        """
        last = self.trace.result_index()
        if last is None:
            raise ResultError(f"{self.user.name} gives a number that does not depend on its inputs")
        self._enter()
        outcomes = list(self.trace.outcomes)
        if any(outcome.told is None for outcome in self.trace.program.outcomes):
            raise refuse(self.user.file, None, "a mask or an order that arrays decide")
        for node in self.trace.nodes:
            while outcomes and outcomes[0].before <= node.index:
                self._guard(outcomes.pop(0))
            if not node.is_input:
                self._step(node)
        for outcome in outcomes:
            self._guard(outcome)
        routine = self.routine
        routine.result, routine.varied = self.names[last], set(routine.kinds)
        assembly = Assembly(routine, self._fresh, lambda _: ())
        docstring = told(
            f"The gradient of {self.user.name} ({place}) by {listed(self.inputs)}, along the path of one run",
            SENSITIVITY,
        )
        part: Part = (f"grad_{self.user.name}", self.user, ", ".join(self.inputs), docstring, assembly.gradient())
        return file_text(command, [part])

    def _fresh(self, stem: str) -> str:
        found, count = stem, 0
        while found in self.taken:
            count += 1
            found = f"{stem}_{count}"
        self.taken.add(found)
        return found

    def _add(self, statement: Statement) -> None:
        self.routine.body.append(statement)

    def _enter(self) -> None:
        """The inputs: numbers and arrays under their names, lists taken apart."""
        for each, structure in zip(self.inputs, self.trace.inputs, strict=True):
            if isinstance(structure, int):
                self.names[structure] = each
                value = self.trace.nodes[structure].value
                self.routine.kinds[each] = kind_of(value)
                if shape_of(value):
                    self._assert(expression(f"np.shape(_x) == {shape_of(value)!r}", _x=name(each)), 0)
            elif isinstance(structure, (list, tuple)) and all(isinstance(index, int) for index in structure):
                parts = [self._fresh(f"{each}_{n}") for n in range(len(structure))]
                self.names.update(zip(structure, parts, strict=True))
                self.routine.kinds.update(dict.fromkeys(parts, NUMBER))
                self.routine.kinds[each] = ValueKind("list", item=NUMBER)
                self._add(Unpack(tuple(parts), name(each), is_active=True))
            else:
                raise refuse(self.user.file, None, f"the input {each}, which is no number, array or list of numbers")

    def _step(self, node: TraceNode) -> None:
        """One node as a statement."""
        called = (node.name or "").replace("#", "_")
        is_own = not called.isidentifier()
        target = self._fresh(f"t_{node.index}" if is_own else called)
        if is_own:
            self.routine.made.add(target)
        self.names[node.index] = target
        kind = self.routine.kinds[target] = kind_of(node.value)
        if node.is_constant:
            self._add(Let(target, self._literal(node.value, node), None, node.line or 0))
            return
        atoms = [self._atom(*each, node) for each in node.arguments()]
        if node.rule is not None and node.rule.writes:
            self._put(node, target, atoms)
            return
        try:
            value, operation = self._operation(node, atoms, kind)
        except UnsupportedError as error:
            raise UnsupportedError(error.message, hint=error.hint, file=node.file, line=node.line) from None
        self._add(Let(target, value, operation, node.line or 0))

    def _put(self, node: TraceNode, target: str, atoms: list[ast.expr]) -> None:
        """A copy of an array with something written into it."""
        key, line = node.static["key"], node.line or 0
        kinds = tuple(map(kind_of, node.operands))
        copied = expression("_x.copy()", _x=atoms[0])
        self._add(Let(target, copied, Identity(operands=(atoms[0],), kinds=kinds[:1], kind=kinds[0], fits=()), line))
        place = expression(f"_x[{key_text(key)}]", _x=name(target))
        whole = node.value[key]
        fits = (_fit(np.shape(whole), np.shape(node.operands[1])),)
        operation = Identity(operands=(atoms[1],), kinds=kinds[1:], kind=kind_of(whole), fits=fits)
        self._add(Store(target, place, atoms[1], 0, kind_of(whole), operation, line))

    def _atom(self, source: int, value: Any, where: Any) -> ast.expr:
        return name(self.names[source]) if source != CONSTANT else self._literal(value, where)

    def _literal(self, value: Any, where: Any) -> ast.expr:
        text = literal(value)
        if text is None:
            what = f"a constant of type {type(value).__name__} is not written out"
            raise UnsupportedError(what, file=where.file, line=where.line)
        return expression(text)

    def _operation(
        self, node: TraceNode, atoms: list[ast.expr], kind: ValueKind
    ) -> tuple[ast.expr, Differentiated]:  # fmt: skip
        kinds = tuple(map(kind_of, node.operands))
        shape = shape_of(node.value)
        fits = tuple(_fit(shape, shape_of(each)) for each in node.operands)
        is_cast = node.rule is not None and node.rule.casts and kind == kinds[0]
        if node.is_alias or is_cast:
            return atoms[0], Identity(operands=tuple(atoms), kinds=kinds, kind=kind, fits=())
        rule = node.rule
        if isinstance(rule, Elementwise):
            names = dict(zip(rule.parameters, atoms, strict=True))
            operation = ByPartials(operands=tuple(atoms), kinds=kinds, kind=kind, fits=fits, rule=rule)
            for n in node.positions:
                operation.pull(n, name("ct"), name("v"))
            return written(rule.value_tree, names, kind.name == "array"), operation
        if rule is not None and rule.reads:
            key = node.static["key"]
            place = expression(f"_x[{key_text(key)}]", _x=atoms[0])
            return place, Read(
                operands=(atoms[0],), kinds=kinds, kind=kind, fits=(), place=place, scatters=not reads_once(key)
            )  # fmt: skip
        keywords = {k: self._literal(v, node) for k, v in node.static.items() if v is not None and v is not False}
        if node.static.get("order") == "C":
            del keywords["order"]
        if len(atoms) == 1 and set(keywords) == {"shape"}:
            atoms, keywords, kinds = [*atoms, keywords["shape"]], {}, (*kinds, STATIC)
        found = array_function(node.operation, atoms, kinds, kind, keywords)
        if found is None:
            raise UnsupportedError(f"the operation {node.operation} of arrays has no written form here")
        home = "np.linalg" if node.operation in LINALG else "np"
        call = ast.Call(expression(f"{home}.{node.operation}"), atoms, [ast.keyword(k, v) for k, v in keywords.items()])
        return call, found

    def _guard(self, outcome: TraceOutcome) -> None:
        """An outcome as an assertion."""
        atoms = [self._atom(*each, outcome) for each in zip(outcome.sources, outcome.operands, strict=True)]
        if outcome.name in COMPARISONS and len(atoms) == 2 and isinstance(outcome.told, (bool, np.bool_)):
            test = expression(f"_a {COMPARISONS[outcome.name]} _b", _a=atoms[0], _b=atoms[1])
            test = test if outcome.told else ast.UnaryOp(ast.Not(), test)
        elif outcome.name in WHOLE and len(atoms) == 1 and isinstance(outcome.told, int):
            test = expression(f"{WHOLE[outcome.name]}(_a) == _n", _a=atoms[0], _n=ast.Constant(outcome.told))
        elif outcome.name == "bool" and len(atoms) == 1:
            test = atoms[0] if outcome.told else ast.UnaryOp(ast.Not(), atoms[0])
        else:
            raise UnsupportedError(
                f"what the program is told by {outcome.name} cannot be asserted", file=outcome.file, line=outcome.line
            )
        self._assert(test, outcome.line or 0)

    def _assert(self, test: ast.expr, line: int) -> None:
        self._add(Keep(ast.Assert(test, ast.Constant("derived for another path")), line))


def _fit(whole: tuple[int, ...], part: tuple[int, ...]) -> str:
    if whole == part:
        return ""
    return "to" if part else "all"


def key_text(key: Any) -> str:
    """An index as it is typed between brackets."""
    if isinstance(key, tuple):
        return ", ".join(map(key_text, key)) + ("," if len(key) == 1 else "")
    if isinstance(key, slice):
        bounds = ["" if each is None else str(each) for each in (key.start, key.stop, key.step)]
        return ":".join(bounds if bounds[2] else bounds[:2])
    if key is Ellipsis or key is None:
        return "..." if key is Ellipsis else "None"
    text = literal(np.asarray(key) if hasattr(key, "dtype") and np.ndim(key) else key)
    if text is None:
        raise UnsupportedError(f"an index of type {type(key).__name__} is not written out")
    return text


def runs_at(function: Callable[..., Any], point: Sequence[Any]) -> bool:
    """Whether a program along one path holds at a point."""
    try:
        function(*point)
    except Exception:
        return False
    return True
