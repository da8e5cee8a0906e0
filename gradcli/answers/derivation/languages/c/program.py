"""A derived function as a C99 file."""

from __future__ import annotations

import ast
import copy
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.derivation.function_text import Layout
from gradcli.answers.derivation.languages.c import trial
from gradcli.answers.derivation.languages.c.assignments import write_items
from gradcli.answers.derivation.languages.c.expressions import temporary, write_fill, write_nest
from gradcli.answers.derivation.languages.c.lazy_arrays import Index, brackets
from gradcli.answers.derivation.languages.c.loop_fusion import fused_lines
from gradcli.answers.derivation.languages.c.loop_tree import used_items
from gradcli.answers.derivation.languages.c.sizes import Sizes
from gradcli.answers.derivation.languages.c.sizing_run import run_function
from gradcli.answers.derivation.languages.c.statements import TABLES, write_body
from gradcli.answers.derivation.languages.c.terms import HELPERS, literal, number
from gradcli.answers.derivation.languages.c.value_sizes import (
    DOUBLE,
    INT,
    TRUTH,
    SizedArray,
    SizedNumber,
    Value,
    declared,
    described,
    list_depth,
)
from gradcli.answers.derivation.languages.c.writer import CWriter, lanes_of
from gradcli.answers.derivation.languages.c.written_loops import FILE_IN_ORDER, IN_ORDER
from gradcli.answers.derivation.languages.python_program import PythonProgram
from gradcli.answers.derivation.syntax_trees import changed_names, names_in, text_of
from gradcli.answers.derivation.verification import flat
from gradcli.engine.code.program_errors import program_errors
from gradcli.errors import InternalError
from gradcli.shared.float_errors import ignored_float_errors

WIDTH = 88


class ResultParameter(NamedTuple):
    """A parameter that receives a result."""

    name: str
    node: ast.expr
    shape: tuple[int, ...]


class CProgram:
    """A derived function in C.

    Args:
        program: the Python program, of one function.
        stopping: the kinds of comparisons that stop at equal floats (see `Sizes`).
        built: whether it is built for this machine at once: by a compiler that reads the pragmas of OpenMP's, and for
            calls whose results share no memory with anything.
    """

    def __init__(
        self, program: PythonProgram, stopping: frozenset[type[ast.cmpop]] = frozenset(), *, built: bool = False
    ) -> None:
        self.program = program
        self.built = built
        self.function = program.function()
        part = program.parts[0]
        self.name, self.docstring, user = part.name, part.docstring, part.user
        self.body = [unshared(statement) for statement in part.body]
        arguments = dict(program.arguments)
        directions = [parameter.strip() for parameter in part.parameters.split(",")][len(arguments) :]
        arguments |= {d: arguments[x] for d, x in zip(directions, program.directed, strict=False)}
        self.given = tuple(n for n in arguments if n in program.given or n not in program.arguments)
        self.sizes = Sizes(self.body, user.namespace, user.file)
        self.sizes.stopping = stopping
        self.sizes.first = self.sizes.line = getattr(user.tree, "lineno", 0)
        self.values: dict[str, Value] = {n: self._value_of(n, argument) for n, argument in arguments.items()}
        self.constants = {n: argument for n, argument in arguments.items() if n not in self.given}
        self.sizes.variables.update(self.values)
        run_function(self.body, self.values, self.sizes, self.function.__globals__)
        taken = set(self.values) | {name for statement in self.body for name in names_in(statement)}
        layout = Layout(lambda line: user.text(ast.Pass(lineno=line)), user.comments)
        self.writer = CWriter(self.sizes, self.body, {*taken, self.name}, layout, TABLES)
        self.writer.give = self._give
        self.writer.multiplies = built
        self.returned = next(statement for statement in reversed(self.body) if isinstance(statement, ast.Return))
        self.value_node, self.outputs = self._outputs()

    def _value_of(self, name: str, value: Any) -> Value:
        """The type and the sizes of an argument."""
        if isinstance(value, (bool, np.bool_)):
            return TRUTH
        if isinstance(value, (int, np.integer)):
            return INT if name in self.given else SizedNumber("int", int(value))
        if isinstance(value, (float, np.floating)):
            return DOUBLE
        if isinstance(value, (list, tuple, np.ndarray)):
            try:
                made = np.asarray(value)
            except ValueError:
                made = np.asarray(None)
            if made.dtype.kind in "fiu" and made.ndim and made.size:
                return SizedArray(made.shape, "double" if made.dtype.kind == "f" else "int", list_depth(value))
        raise self.sizes.refuse(f"the input {name}, which is no number and no array of some size")

    def _outputs(self) -> tuple[ast.expr | None, list[ResultParameter]]:
        """The returned expression, and the results passed through parameters."""
        value = self.returned.value
        assert value is not None
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        first: ast.expr | None = None
        if self.program.value:
            first, rest = parts[0], parts[1]
            parts = rest.elts if isinstance(rest, ast.Tuple) else [rest]
        kinds = [self.writer.kind(part) for part in parts]
        if first is None and len(parts) == 1 and isinstance(kinds[0], SizedNumber):
            return parts[0], []
        for part, kind in zip(parts, kinds, strict=True):
            if not isinstance(kind, (SizedNumber, SizedArray)):
                raise self.sizes.refuse(f"the result {text_of(part)}")
        if len(parts) > 1 and all(isinstance(kind, SizedNumber) for kind in kinds):
            made = ast.List(list(parts), ast.Load())
            self.sizes.seen[id(made)] = SizedArray((len(parts),))
            parts, kinds = [made], [SizedArray((len(parts),))]
        stem = "tangent" if self.program.mode == "forward" else "gradient"
        names = [stem] if len(parts) == 1 else [f"{stem}_{input_}" for input_ in self.program.inputs]
        shapes = [kind.shape if isinstance(kind, SizedArray) else () for kind in kinds]
        outputs = zip(names, parts, shapes, strict=True)
        return first, [ResultParameter(self.writer.fresh(name), node, shape) for name, node, shape in outputs]

    def _give(self, node: ast.Return) -> None:
        """Write the results."""
        writer = self.writer
        for output in self.outputs:
            if isinstance(output.node, ast.Name) and writer.name(output.node.id) == output.name:
                continue
            if isinstance(output.node, ast.List):
                write_items(output.name, output.node, writer)
                continue
            lanes = writer.lanes(output.node)
            place = output.name if output.shape else f"*{output.name}"
            write_fill(place, lanes, writer)
        if self.value_node is None:
            return
        value = writer.number(self.value_node)
        if self.built:
            value = writer.once(value, "value")
            self._stop_unless_ordinary(value.text)
        writer.write(f"return {value.text};")

    def _stop_unless_ordinary(self, value: str) -> None:
        """Raise the floating-point exception FE_INVALID where a result is not finite, or where the gradient is 0."""
        writer = self.writer
        tests, slopes = [f"{value} - {value} == 0.0"], []
        for output in self.outputs:
            error, slope = temporary("error", (), writer), temporary("slope", (), writer)

            def add(at: Sequence[Index], error: str = error, slope: str = slope, name: str = output.name) -> None:
                place = f"{name}{brackets(at)}" if at else f"*{name}"
                writer.write(f"{error} += {place} - {place};")
                writer.write(f"{slope} += {place} != 0.0;")

            write_nest(output.shape, add, writer)
            tests.append(f"{error} == 0.0")
            slopes.append(f"{slope} > 0.0")
        with writer.under(f"if (!({' && '.join(tests)} && ({' || '.join(slopes)})))"):
            writer.write("feraiseexcept(FE_INVALID);")

    def _compute_in_place(self) -> None:
        """Give variables that are returned the names of the parameters that receive them."""
        own = set(self.sizes.variables) - set(self.values) - set(self.sizes.grown)
        returned = [output.node.id if isinstance(output.node, ast.Name) else "" for output in self.outputs]
        for output, name in zip(self.outputs, returned, strict=True):
            is_same = self.sizes.variables.get(name) == SizedArray(output.shape)
            if name in own and is_same and output.shape and returned.count(name) == 1:
                self.writer.names[name] = output.name
                self.writer.results.add(name)

    def parameters(self) -> list[str]:
        """The parameters of the function in C syntax."""
        parameters = []
        changed = changed_names(*self.body)
        for name in self.given:
            value = self.values[name]
            called = self.writer.name(name)
            if isinstance(value, SizedArray):
                is_own = name in changed
                called = self.writer.fresh(f"given_{called}") if is_own else called
                self._inputs[name] = called
                const = "const " if len(value.shape) == 1 else ""
                parameters.append(f"{const}{declared(value, called)}")
            else:
                parameters.append(f"{'double' if value == DOUBLE else 'int'} {called}")
        for output in self.outputs:
            declaration = declared(SizedArray(output.shape), output.name) if output.shape else f"double *{output.name}"
            parameters.append(declaration.replace("[", "[restrict ", 1) if self.built else declaration)
        return parameters

    def text(self, head: str) -> str:
        """The text of the file, which starts with a line on its origin."""
        self._inputs: dict[str, str] = {}
        parameters = self.parameters()
        copied = {n: called for n, called in self._inputs.items() if called != self.writer.name(n)}
        self._compute_in_place()
        for name, value in self.constants.items():
            self._constant(name, value)
        for name, called in copied.items():
            value, kind = self.values[name], self.sizes.variables[name]
            assert isinstance(value, SizedArray)
            assert isinstance(kind, SizedArray)
            made = self.writer.name(name)
            self.writer.write_array(kind, made)
            write_fill(made, lanes_of(called, value.shape), self.writer)
            for axis in sorted(kind.varying):
                length = self.writer.length(name, axis)
                self.writer.write(f"int {length} = {value.shape[axis]};", length)
        results = [output.name for output in self.outputs]
        write_body([*self.given, *self.constants], self.writer)
        items = used_items(self.writer.items, results)
        body = fused_lines(items, self.writer.taken, results, vectorized=self.built)
        is_in_order = not self.built and any(line.strip() == IN_ORDER for line in body)
        body = [line for line in body if line.strip() != IN_ORDER] if is_in_order else body
        unused = [parameter for parameter in self._called() if not any(_mentions(line, parameter) for line in body)]
        body = [*(f"    (void){parameter};" for parameter in unused), *body]
        result = "void" if self.value_node is None else "double"
        opening = wrapped(f"{result} {self.writer.name(self.name)}(", parameters or ["void"])
        text_lines = [f"/* {plain(head)} */", "", *([*FILE_IN_ORDER, ""] if is_in_order else [])]
        includes = [f"#include <{include}.h>" for include in self._includes(body)]
        text_lines += [*includes, ""] if includes else []
        for helper in sorted(self.writer.helpers):
            text_lines += [*HELPERS[helper].split("\n"), ""]
        text_lines += self._static(body)
        text_lines += [f"/* {plain(self.docstring[0])}"]
        text_lines += [f"   {plain(doc_line)}".rstrip() for doc_line in self.docstring[1:]]
        text_lines[-1] += " */"
        return "\n".join([*text_lines, *opening, "{", *body, "}"]) + "\n"

    def check(self, text: str) -> None:
        """Compare the compiled program with the Python program at points of the same sizes.

        Raises:
            UnsupportedError: a whole number in the program is no int.
            InternalError: the program does not compile, or its results differ.
        """
        points = [
            [self.constants.get(n, x) for n, x in zip(self.values, call, strict=True)] for call in self.program.calls()
        ]
        answers = [
            (point, self._answer(point))
            for point in points
            if list(map(np.shape, point)) == list(map(np.shape, points[0]))
        ]
        answered = [(point, answer) for point, answer in answers if answer is not None]
        outputs = [(output.name, math.prod(output.shape)) for output in self.outputs]
        name, calls = self.writer.name(self.name), [self._call(point) for point, _ in answered]
        try:
            computed = trial.numbers(text, name, calls, outputs, returns=self.value_node is not None)
        except OverflowError:
            self.sizes.line = 0  # the line is not known
            raise self.sizes.refuse(f"a whole number of {2**31} or more") from None
        for (point, theirs), ours in zip(answered, computed, strict=True):
            if not trial.agrees(ours, theirs):
                raise InternalError(f"the derived C program gives {ours} at {point}, and the Python program {theirs}")

    def _answer(self, point: list[Any]) -> Any:
        """The results of the Python program at a point; None if a point chosen by gradcli does not suit it."""
        try:
            with ignored_float_errors():
                return flat(self.function(*copy.deepcopy(point)))
        except program_errors():
            return None

    def _call(self, point: Sequence[Any]) -> str:
        """The arguments of a call, with declarations of arrays before it."""
        lines: list[str] = []
        arguments: list[str] = []
        for name, value in zip(self.values, point, strict=True):
            kind = self.values[name]
            if name not in self.given:
                continue
            if isinstance(kind, SizedArray):
                lines.append(f"{declared(kind, f'in_{len(lines)}')} = {literal(value)};")
                arguments.append(f"in_{len(lines) - 1}")
            else:
                arguments.append(literal(value))
        outputs = [_pointer(output) for output in self.outputs]
        return "\n".join([*lines, ", ".join([*arguments, *outputs])])

    def _called(self) -> list[str]:
        return [self._inputs.get(parameter, self.writer.name(parameter)) for parameter in self.given]

    def _constant(self, name: str, value: Any) -> None:
        """Define a parameter that has its default value."""
        kind = self.values[name]
        made = self.writer.name(name)
        if isinstance(kind, SizedNumber):
            term = number(int(value) if kind.type != "double" else float(value))
            self.writer.write(f"{'double' if kind == DOUBLE else 'int'} {made} = {term.text};", made)
        elif isinstance(kind, SizedArray):
            const = "" if name in changed_names(*self.body) else "const "
            self.writer.write(f"{const}{declared(kind, made)} = {literal(value)};", made)
        else:
            raise self.sizes.refuse(f"the default of {name}, {described(kind)}")

    def _includes(self, body: Sequence[str]) -> list[str]:
        uses_math = self.writer.uses_math or any("INFINITY" in statement or "NAN" in statement for statement in body)
        return [*(["assert"] if self.writer.uses_assert else []), *(["math"] if uses_math else [])]

    def _static(self, body: Sequence[str]) -> list[str]:
        """The arrays of the user's file that the function reads or fills."""
        arrays: list[str] = []
        changed = changed_names(*self.body)
        for name, value in self.sizes.constants.items():
            if isinstance(value, np.ndarray) and any(_mentions(line, self.writer.name(name)) for line in body):
                kind = SizedArray(value.shape, "double" if value.dtype.kind == "f" else "int")
                const = "" if name in changed else "const "
                opening = f"static {const}{declared(kind, self.writer.name(name))} = {{"
                arrays += [*wrapped(opening, [literal(row) for row in value], "};"), ""]
        return arrays


def _pointer(output: ResultParameter) -> str:
    """A flat array as the type of a parameter."""
    inner = "".join(f"[{n}]" for n in output.shape[1:])
    return f"(double (*){inner}){output.name}" if inner else output.name


def _mentions(line: str, name: str) -> bool:
    """Whether a line mentions a name outside of its comment."""
    return re.search(rf"\b{re.escape(name)}\b", line.partition("//")[0]) is not None


def wrapped(opening: str, parts: Sequence[str], closing: str = ")") -> list[str]:
    """A list of parts, wrapped to the line width."""
    line = f"{opening}{', '.join(parts)}{closing}"
    if len(line) <= WIDTH:
        return [line]
    lines, current = [opening], "   "
    for n, part in enumerate(parts):
        piece = f" {part}{',' if n + 1 < len(parts) else ''}"
        if len(current) + len(piece) > WIDTH and current.strip():
            lines.append(current)
            current = "   "
        current += piece
    return [*lines, current, closing] if closing != ")" else [*lines, f"{current}{closing}"]


def plain(text: str) -> str:
    """Text that is safe in a comment."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")


def unshared(node: Any) -> Any:
    """A copy of a statement in which no node is shared."""
    if isinstance(node, list):
        return [unshared(child) for child in node]
    if not isinstance(node, ast.AST) or not node._fields:
        return node
    made: Any = type(node)(**{field: unshared(getattr(node, field, None)) for field in node._fields})
    if isinstance(node, (ast.stmt, ast.expr)) and hasattr(node, "lineno"):
        made.lineno = node.lineno
    return made
