"""Calls in the intermediate form: functions with a rule, array functions, built-in functions and the user's own."""

from __future__ import annotations

import ast
import copy
import math
from typing import Any

import numpy as np

from gradcli.derivation.intermediate.array_function_derivatives import array_function, joined
from gradcli.derivation.intermediate.expressions import standing_for
from gradcli.derivation.intermediate.operation_derivatives import (
    ActiveOperation,
    ArrayDisplay,
    ByTemplate,
    python_formula,
    rebuilt,
    written_items,
)
from gradcli.derivation.intermediate.recorded_calls import RecordedCallLowering
from gradcli.derivation.intermediate.statements import Assignment, Branch, RoutineCall
from gradcli.derivation.intermediate.templates import expression, name, text_of
from gradcli.derivation.reading.function_source import is_users
from gradcli.derivation.reading.observed_values import Observation
from gradcli.derivation.reading.value_kind import NUMBER, STATIC, ValueKind
from gradcli.errors import UnsupportedError
from gradcli.rules.numpy.ufuncs import ufunc_rule
from gradcli.rules.products import MATMUL
from gradcli.rules.rule_table import RULES
from gradcli.rules.rule_types import Elementwise

MATH = {"fabs": "abs"}
_OTHERS = "math.prod(x[:k] + x[k + 1 :])"
_APART = "[(p - q) / v if v else 0.0 for p, q in zip(x, y)]"
# The products of functions of `math` that take lists of numbers, one per operand.
OF_LISTS = {
    "fsum": (("[ct] * len(x)",), ("math.fsum(t)",)),
    "prod": ((f"[ct * {_OTHERS} for k in range(len(x))]",), (f"sum(p * {_OTHERS} for k, p in enumerate(t))",)),
    "dist": (
        (f"[ct * p for p in {_APART}]", f"[-ct * p for p in {_APART}]"),
        (f"sum(a * b for a, b in zip(t, {_APART}))", f"-sum(a * b for a, b in zip(t, {_APART}))"),
    ),
}


class _RulesWrittenOut(ast.NodeTransformer):
    """Writes calls of rules, which a derived file does not know, as the formulas of their values."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The formula of a rule's value, or the call with its parts written out."""
        observed = self.observation.of(node)
        self.generic_visit(node)
        if len(observed.callees) != 1 or not isinstance(rule := observed.callees[0], Elementwise) or node.keywords:
            return node
        names = dict(zip(rule.parameters, node.args, strict=True))
        return python_formula(rule.value_tree, names, self.observation.kind(node).name == "array")


class CallLowering(RecordedCallLowering):
    """Lowers calls to statements."""

    def static(self, node: ast.expr) -> ast.expr:
        return _RulesWrittenOut(self.observation).visit(super().static(node))  # type: ignore[no-any-return]

    def _call(self, node: ast.Call) -> tuple[ast.expr, ActiveOperation | None]:
        callees = self.observation.of(node).callees
        if len(callees) != 1:
            hint = "Give a point at which it is called." if not callees else "Call one function there."
            why = "was never reached" if not callees else "calls different functions by turns"
            raise self.refuse(node, f"{text_of(node)}, which {why}", hint=hint)
        callee = callees[0]
        if self.dependence.is_chosen(node):
            what = f"{text_of(node.func)}, a function that is chosen or made while the program runs"
            raise self.refuse(node, what, hint="Call a function or a method of an object that the module holds.")
        if any(isinstance(each, ast.Starred) for each in node.args) or any(k.arg is None for k in node.keywords):
            raise self.refuse(node, "arguments with a star")
        if is_users(callee):
            return self._invoke(node, callee)
        owner = getattr(callee, "__self__", None)
        called = getattr(callee, "__name__", "")
        if isinstance(owner, (np.ndarray, np.generic)):
            return self._method(node, called)
        builtin = getattr(self, f"_of_{called}", None) if getattr(callee, "__module__", "") == "builtins" else None
        if builtin is not None:
            return builtin(node)  # type: ignore[no-any-return]
        rule = self._rule(callee, called, node)
        if rule is not None and not node.keywords:
            atoms = [self.atom(each) for each in node.args]
            parts = tuple(standing_for(each, atom) for each, atom in zip(node.args, atoms, strict=True))
            return self._elementwise(rule, node, parts, self._value_of_call(rule, callee, node, atoms))
        return self._function(node, callee, called)

    def _value_of_call(self, rule: Any, callee: Any, node: ast.Call, atoms: list[ast.expr]) -> ast.expr:
        """The call as it stands, or the formula of a rule that only gradcli knows."""
        if callee is not rule or len(atoms) != len(rule.parameters):
            return ast.Call(node.func, atoms, [])
        try:
            names = dict(zip(rule.parameters, atoms, strict=True))
            return python_formula(rule.value_tree, names, self.kind(node).name == "array")
        except UnsupportedError as error:
            raise self.refuse(node, f"{text_of(node)}: {error.message}") from None

    def _rule(self, callee: Any, called: str, node: ast.Call) -> Any:
        if isinstance(callee, Elementwise):
            return callee
        module = getattr(callee, "__module__", "") or ""
        if module == "math" and called in OF_LISTS:
            return None
        if module == "math":
            if called == "log" and len(node.args) == 2:
                return None
            return RULES.get(MATH.get(called, called))
        if isinstance(callee, np.ufunc):
            return MATMUL if called == "matmul" else ufunc_rule(called)
        if callee is abs or callee is pow:
            return RULES[called]
        if callee in (np.where, np.clip, np.sinc):
            return RULES[called]
        return None

    def _function(self, node: ast.Call, callee: Any, called: str) -> tuple[ast.expr, ActiveOperation | None]:
        """A function of whole arrays, by its source form."""
        if getattr(math, called, None) is callee and called in OF_LISTS:
            return self._of_lists(node, called)
        if callee is math.log:
            quotient = ast.BinOp(_part(node, node.args[:1]), ast.Div(), _part(node, node.args[1:]))
            quotient = self.known(quotient, node)  # type: ignore[assignment]
            return self.value(quotient)
        module = getattr(callee, "__module__", "") or ""
        is_numpy = module.split(".")[0] == "numpy" or callee is np.array
        if not is_numpy and module.split(".")[0] != "scipy":
            raise self.refuse(node, f"{text_of(node.func)}, a function without a written derivative")
        if called in ("concatenate", "stack") and not node.keywords and isinstance(node.args[0], (ast.List, ast.Tuple)):
            parts = node.args[0].elts
            atoms = [self.atom(each) for each in parts]
            operation = joined(called, atoms, [self.kind(each) for each in parts], self.kind(node))
            if operation is not None:
                return ast.Call(node.func, [ast.List(atoms, ast.Load())], []), operation
        if called in ("array", "asarray") and self.kind(node.args[0]).name == "list":
            return self._arrayed(node)
        is_alone = len(node.args) == 1 and not node.keywords and self.dependence.of(node.args[0])
        if called in ("concatenate", "stack") and is_alone and _is_list_of_arrays(self.kind(node.args[0])):
            return self._of_list_of_arrays(node, called)
        if any(isinstance(each, (ast.List, ast.Tuple)) and self.dependence.of(each) for each in node.args):
            return self._recorded(node, None, copy.copy(node))
        return self._of_arrays(called, node, None)

    def _of_lists(self, node: ast.Call, called: str) -> tuple[ast.expr, ActiveOperation]:
        """A function of `math` that takes lists of numbers."""
        numbers = ValueKind("list", item=NUMBER)
        parts = [
            self.known(ast.ListComp(each.elt, each.generators), numbers) if isinstance(each, ast.GeneratorExp) else each
            for each in node.args
        ]
        if node.keywords or any(self.kind(each).name != "list" for each in parts):
            raise self.refuse(node, f"{text_of(node)}, of what are no lists of numbers")
        atoms = tuple(self.atom(each) for each in parts)
        kinds = tuple(numbers for _ in atoms)
        return ast.Call(node.func, list(atoms), []), ByTemplate(atoms, kinds, NUMBER, *OF_LISTS[called])

    def _arrayed(self, node: ast.Call) -> tuple[ast.expr, ActiveOperation]:
        """An array from a list; the items of a list display get their sensitivities by index."""
        kind, argument = self.kind(node), node.args[0]
        keywords = [ast.keyword(k.arg, self.static(k.value)) for k in node.keywords]
        if isinstance(argument, (ast.List, ast.Tuple)):
            leaves = list(written_items(argument))
            if len({len(path) for path, _ in leaves}) == 1 and all(self.kind(x).name != "list" for _, x in leaves):
                atoms = [self.atom(each) for _, each in leaves]
                tree = rebuilt(argument, iter(atoms))
                pulls = tuple(f"ct[{', '.join(map(str, path))}]" for path, _ in leaves)
                made = ast.Call(node.func, [tree], keywords)
                kinds = tuple(self.kind(each) for _, each in leaves)
                return made, ArrayDisplay(tuple(atoms), kinds, kind, pulls, tree)
        atom, item = self.atom(argument), self.item_kind(argument)
        if kind.rank != 1 and item.name not in ("list", "array"):
            raise self.refuse(node, f"an array made of a list of {item}s")
        pull = "ct.tolist()" if item.name == "list" else "list(ct)"
        operation = ByTemplate((atom,), (self.kind(argument),), kind, (pull,), ("np.array(t)",))
        return ast.Call(node.func, [atom], keywords), operation

    def _as_array(self, part: ast.expr) -> ast.expr:
        """A list of numbers, converted to an array as NumPy does."""
        if self.kind(part) != ValueKind("list", item=NUMBER) or not self.dependence.of(part):
            return part
        kind = ValueKind("array", 1)
        made = self.known(ast.Call(expression("np.array"), [part], []), kind)
        return self.temporary(*self._arrayed(made), kind)  # type: ignore[arg-type]

    def _of_list_of_arrays(self, node: ast.Call, called: str) -> tuple[ast.expr, ActiveOperation]:
        """`stack` or `concatenate` along the first axis, for a list with a name."""
        atom = self.atom(node.args[0])
        pull = "list(ct)" if called == "stack" else "np.split(ct, np.cumsum([len(each) for each in x])[:-1])"
        kinds = (self.kind(node.args[0]),)
        return ast.Call(node.func, [atom], []), ByTemplate(
            (atom,), kinds, self.kind(node), (pull,), (f"np.{called}(t)",)
        )

    def _method(self, node: ast.Call, called: str) -> tuple[ast.expr, ActiveOperation | None]:
        assert isinstance(node.func, ast.Attribute)
        parts = [node.func.value, *node.args]
        atoms = [self.atom(each) for each in parts]
        callee = ast.Attribute(atoms[0], node.func.attr, ast.Load())
        made = ast.Call(callee, atoms[1:], [ast.keyword(k.arg, self.static(k.value)) for k in node.keywords])
        if called == "astype" and self.kind(node) == self.kind(node.func.value):
            return made, self.move(atoms[0], self.kind(node))
        if called in ("item", "__float__"):
            return made, self.move(atoms[0], NUMBER)
        return self._of_arrays(called, node, node.func.value)

    def _of_arrays(
        self, called: str, node: ast.Call, owner: ast.expr | None
    ) -> tuple[ast.expr, ActiveOperation | None]:
        """A function or method of arrays, by its products if they are short, otherwise by its recorded operations."""
        node = copy.copy(node)
        node.args = [self._as_array(each) for each in node.args]
        parts = [*([owner] if owner is not None else []), *node.args]
        atoms = [self.atom(each) for each in parts]
        keywords = {k.arg: self.static(k.value) for k in node.keywords if k.arg}
        callee, arguments = node.func, atoms
        if owner is not None:
            callee, arguments = ast.Attribute(atoms[0], called, ast.Load()), atoms[1:]
        made = ast.Call(callee, arguments, [ast.keyword(k, v) for k, v in keywords.items()])
        operation = array_function(called, atoms, [self.kind(each) for each in parts], self.kind(node), keywords)
        return (made, operation) if operation is not None else self._recorded(node, owner, made)

    def _invoke(self, node: ast.Call, callee: Any) -> tuple[ast.expr, ActiveOperation | None]:
        """A call of a function that is derived as well."""
        user = self.observation.functions[callee]
        arguments: dict[str, ast.expr] = dict(zip(user.parameters, node.args, strict=False))
        arguments.update((k.arg, k.value) for k in node.keywords if k.arg)
        for each in user.parameters:
            if each not in arguments:
                arguments[each] = ast.Constant(_plain(user.defaults[each], self, node))
        ordered = [arguments[each] for each in user.parameters]
        called, active = self.registry(user)
        atoms = tuple(self.atom(each) for each in ordered)
        made, kept = self.made_name(), self.made_name("kept")
        kind = self.kinds[made] = self.kind(node)
        self.kinds[kept] = STATIC
        self.dependence.names.add(made)
        places = tuple(n for n, each in enumerate(ordered) if user.parameters[n] in active and self.dependence.of(each))
        self.out.append(RoutineCall(made, called, atoms, kept, places, self.line))
        return self.known(name(made), kind), self.move(name(made), kind)

    def _of_float(self, node: ast.Call) -> tuple[ast.expr, ActiveOperation | None]:
        argument = node.args[0]
        if self.kind(argument) != NUMBER:
            raise self.refuse(node, f"float of a {self.kind(argument)}")
        return self.value(argument)

    def _of_list(self, node: ast.Call) -> tuple[ast.expr, ActiveOperation | None]:
        argument = node.args[0]
        if isinstance(argument, ast.GeneratorExp):
            made = self.known(ast.ListComp(argument.elt, argument.generators), node)
            return self.value(made)
        atom = self.atom(argument)
        if self.kind(argument) == ValueKind("array", 1) and getattr(node.func, "id", "") == "list":
            return ast.Call(node.func, [atom], []), ByTemplate(
                (atom,), (self.kind(argument),), self.kind(node), ("np.array(ct)",), ("list(t)",)
            )
        if self.kind(argument).name != "list" or (item := self.kind(argument).item) is None or item.name == "list":
            raise self.refuse(node, f"{text_of(node)}")
        return ast.Call(node.func, [atom], []), self.move(atom, self.kind(node))

    _of_tuple = _of_list

    def _of_sum(self, node: ast.Call) -> tuple[ast.expr, ActiveOperation | None]:
        """`sum(…)` as a loop."""
        made = self.made_name("total")
        kind = self.kinds[made] = self.kind(node)
        start = self.static(node.args[1]) if len(node.args) > 1 else ast.Constant(0.0 if kind == NUMBER else 0)
        if kind != NUMBER:
            raise self.refuse(node, f"{text_of(node)}, a sum of what is no number", hint="Use np.sum.")
        self.bind(made, start, None)
        self.dependence.names.add(made)
        argument = node.args[0]
        if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
            generators, term = argument.generators, argument.elt
        else:
            each = self.made_name("each")
            self.kinds[each] = self.item_kind(argument)
            self.dependence.names.add(each)
            generators, term = [ast.comprehension(ast.Name(each, ast.Store()), argument, [], 0)], name(each)
        added = ast.BinOp(name(made), ast.Add(), term)
        inner = ast.Assign([ast.Name(made, ast.Store())], self.known(added, kind))
        self._generated(generators, inner)
        return self.known(name(made), kind), self.move(name(made), kind)

    def _of_max(self, node: ast.Call, operator: ast.cmpop | None = None) -> tuple[ast.expr, ActiveOperation | None]:
        """`max(…)` as comparisons, which select the first of equal values."""
        if node.keywords or not node.args:
            raise self.refuse(node, text_of(node), hint="Write the loop, or use np.max.")
        if len(node.args) == 1:
            return self._of_extreme(node, operator or ast.Gt())
        made, kind = self.made_name(), self.kind(node)
        self.kinds[made] = kind
        self.dependence.names.add(made)
        atoms = [self.known(self.atom(each), each) for each in node.args]
        first = atoms[0]
        self.bind(made, first, self.move(first, kind) if self.dependence.of(first) else None)
        for atom in atoms[1:]:
            test = ast.Compare(atom, [operator or ast.Gt()], [name(made)])
            operation = self.move(atom, kind) if self.dependence.of(atom) else None
            self.out.append(Branch(test, [Assignment(made, atom, operation, self.line)], [], self.line))
        return self.known(name(made), kind), self.move(name(made), kind)

    def _of_extreme(self, node: ast.Call, operator: ast.cmpop) -> tuple[ast.expr, ActiveOperation | None]:
        """`max(items)` as a loop."""
        argument = node.args[0]
        if isinstance(argument, ast.GeneratorExp):
            argument = self.known(ast.ListComp(argument.elt, argument.generators), ValueKind("list", item=NUMBER))
        if self.kind(node) != NUMBER or self.item_kind(argument) != NUMBER:
            raise self.refuse(node, f"{text_of(node)}, an extreme of what are no numbers")
        items = self.known(self.atom(argument), argument)
        made, each = self.made_name(), self.made_name("each")
        self.kinds[made] = self.kinds[each] = NUMBER
        self.dependence.names |= {made, each}
        self.assign(ast.Name(made, ast.Store()), self.known(ast.Subscript(items, ast.Constant(0), ast.Load()), NUMBER))
        test = ast.Compare(name(each), [operator], [name(made)])
        inner = ast.If(test, [ast.Assign([ast.Name(made, ast.Store())], self.known(name(each), NUMBER))], [])
        self._generated([ast.comprehension(ast.Name(each, ast.Store()), items, [], 0)], inner)
        return self.known(name(made), NUMBER), self.move(name(made), NUMBER)

    def _of_min(self, node: ast.Call) -> tuple[ast.expr, ActiveOperation | None]:
        return self._of_max(node, ast.Lt())


def _is_list_of_arrays(kind: ValueKind) -> bool:
    return kind.name == "list" and kind.item is not None and kind.item.name == "array"


def _part(node: ast.Call, arguments: list[ast.expr]) -> ast.expr:
    """A scalar call with only some of its arguments."""
    made = ast.copy_location(ast.Call(node.func, arguments, []), node)
    made.known_kind = NUMBER  # type: ignore[attr-defined]
    made.number = node.number  # type: ignore[attr-defined]
    return made


def _plain(value: Any, where: CallLowering, node: ast.AST) -> Any:
    if value is None or isinstance(value, (int, float, str, bool)):
        return value
    raise where.refuse(node, "a default that is no plain number")
