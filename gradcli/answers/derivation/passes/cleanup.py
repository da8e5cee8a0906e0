"""Cleanup of derived statements: initial zeros, constants under a name, dead statements and superfluous names."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gradcli.answers.derivation.passes.folded_constants import folded
from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.answers.derivation.syntax_trees import (
    accumulate,
    assign,
    expression,
    filled,
    name,
    names_in,
    negative,
    nodes_in,
    quotient,
    root_of,
    stored_names,
    viewed_by,
    written_into,
)

Statements = list[ast.stmt]
VIEWS = (ast.Name, ast.Attribute, ast.Subscript)
FRESH_CALLS = ("outer", "sum", "where", "zeros_like", "full_like", "cumsum", "solve", "copy", "diff", "roll", "max")


def block_lists(statement: ast.stmt) -> list[Statements]:
    """The blocks inside a statement."""
    return [block for block in (getattr(statement, "body", None), getattr(statement, "orelse", None)) if block]


def tidied(statements: Statements, live: set[str], written: set[str]) -> Statements:
    """A reverse pass with zeros merged and constants substituted; its marks and its structure are kept.

    Args:
        statements: the pass.
        live: the names read after it.
        written: the names that the forward pass writes into, and that this pass may bring back in place.
    """
    while True:
        before = [ast.dump(statement) for statement in statements]
        in_place = written_in_place(statements)
        own = in_place & stored_names(*statements)
        _merge_zeros(statements, written | in_place, own, live)
        statements = _without_constants(statements, live, written)
        if [ast.dump(statement) for statement in statements] == before:
            return statements


def target_name(statement: ast.stmt) -> str:
    """The name bound by a simple assignment; empty for other statements."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return ""


def written_in_place(statements: Statements) -> set[str]:
    """The names that are written by index, appended to or popped from."""
    return {written_into(node, ("append", "pop")) for node in nodes_in(*statements)} - {""}


def _is_zero(node: ast.expr) -> bool:
    is_number = isinstance(node, ast.Constant) and type(node.value) is float and node.value == 0.0
    return is_number or (isinstance(node, ast.Call) and ast.unparse(node.func) == "np.zeros_like")


def _merge_zeros(statements: Statements, in_place: set[str], own: set[str], live: set[str] | None = None) -> None:
    """Replace `s = 0.0` and the first `s += e` by `s = e`, if no statement between them mentions s; also for `s[i]`.

    Args:
        statements: a block.
        in_place: the names that are written into.
        own: those of them that this pass binds, which share no array.
        live: the names read after it; None for a nested block, all of whose names may be.
    """
    for statement in statements:
        for block in block_lists(statement):
            _merge_zeros(block, in_place, own)
    mentioned = [names_in(statement) for statement in statements]
    at = 0
    while at < len(statements):
        first = statements[at]
        zero = root_of(first.targets[0]) if isinstance(first, ast.Assign) and _is_zero(first.value) else ""
        following = next((n for n in range(at + 1, len(mentioned)) if zero in mentioned[n]), None) if zero else None
        if following is not None and not target_name(first):
            made = _first_at_place(first, statements[at + 1 : following], statements[following])
        else:
            made = first_amount(statements[following], zero, in_place) if following is not None else None
            owner = _copied_name(made)
            if following is not None and owner in own and _is_dead(owner, statements[following + 1 :], live):
                made = assign(zero, name(owner))
        if following is not None and made is not None:
            statements[following], mentioned[following] = made, names_in(made)
            del statements[at], mentioned[at]
        else:
            at += 1


def _copied_name(statement: ast.stmt | None) -> str:
    """The name of the array of which a statement binds a copy; empty for other statements."""
    match statement:
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(owner), attr="copy"), args=[])):
            return owner
    return ""


def _is_dead(variable: str, rest: Statements, live: set[str] | None) -> bool:
    """Whether a name is bound anew, or a whole pass ends, before it is read."""
    after = next((statement for statement in rest if variable in names_in(statement)), None)
    if after is None:
        return live is not None and variable not in live
    return isinstance(after, ast.Assign) and target_name(after) == variable and variable not in names_in(after.value)


def _first_at_place(zero: Any, between: Statements, following: ast.stmt) -> ast.stmt | None:
    """A statement that adds to a place that is zero, as one that assigns it; None for other statements."""
    place = zero.targets[0]
    is_sum = isinstance(following, ast.AugAssign) and isinstance(following.op, (ast.Add, ast.Sub))
    if not is_sum or ast.dump(following.target) != ast.dump(place):  # type: ignore[attr-defined]
        return None
    amount = following.value  # type: ignore[attr-defined]
    if root_of(place) in names_in(amount) or names_in(place) & stored_names(*between):
        return None
    return ast.Assign([place], amount if isinstance(following.op, ast.Add) else negative(amount))  # type: ignore[attr-defined]


def first_amount(statement: ast.stmt, variable: str, in_place: set[str]) -> ast.stmt | None:
    """A statement that adds to zero, as one that binds; None for other statements."""
    if target_name(statement) != variable:
        return None
    sign, amount = 1, None
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, (ast.Add, ast.Sub)):
        sign, amount = (1 if isinstance(statement.op, ast.Add) else -1), statement.value
    elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp):
        value = statement.value
        if isinstance(value.left, ast.Name) and value.left.id == variable and isinstance(value.op, (ast.Add, ast.Sub)):
            sign, amount = (1 if isinstance(value.op, ast.Add) else -1), value.right
            if sign > 0 and not _may_share(variable, amount, in_place):
                amount = expression("_x.copy()", _x=amount) if isinstance(amount, VIEWS) else None
    if amount is None or variable in names_in(amount):
        return None
    return assign(variable, amount if sign > 0 else ast.UnaryOp(ast.USub(), amount))


def _may_share(variable: str, amount: ast.expr, in_place: set[str]) -> bool:
    """Whether a sensitivity may share the array of an amount, because neither is written by index."""
    if isinstance(amount, (ast.BinOp, ast.UnaryOp)):
        return True
    if isinstance(amount, ast.Call) and ast.unparse(amount.func) == "sum_to":  # it may return its argument
        return _may_share(variable, amount.args[0], in_place)
    if isinstance(amount, ast.Call) and isinstance(amount.func, ast.Attribute) and amount.func.attr in FRESH_CALLS:
        return True
    return variable not in in_place and not (names_in(amount) & in_place)


def _without_constants(statements: Statements, live: set[str], written: set[str]) -> Statements:
    """Statements with sensitivities that are constantly 1.0 or -1.0 replaced by that number."""
    counts: Counter[str] = Counter()
    constants: dict[str, ast.expr] = {}
    for node in nodes_in(*statements):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] += 1
        if isinstance(node, ast.Assign) and _is_one(node.value) and target_name(node):
            constants[target_name(node)] = node.value
    single = {name: value for name, value in constants.items() if counts[name] == 1 and name not in live}
    return simplified(_substituted(statements, single) if single else statements, written)


def _is_one(node: ast.expr) -> bool:
    number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(number, ast.Constant) and type(number.value) is float and number.value == 1.0


def _substituted(statements: Statements, constants: dict[str, ast.expr]) -> Statements:
    kept: Statements = []
    for statement in statements:
        if target_name(statement) in constants and isinstance(statement, ast.Assign):
            continue
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            statement.body = _substituted(statement.body, constants)
            statement.orelse = _substituted(statement.orelse, constants)
            kept.append(statement)
        else:
            kept.append(filled(statement, constants))
    return kept


class _Simplifier(ast.NodeTransformer):
    """Simplifies products with 1.0, `x += -e`, and copies of parts of arrays that are operands.

    Args:
        in_place: the names that are written into, which must not become aliases.
        sensitivities: the names for which `x * 1.0` may become `x`; None for all. Another name may go into a container,
            whose arrays are written into under the container's name. Constants in what they are bound to are folded.
        kinds: what some names hold: `number` or `array`, of floats, or something else.
    """

    def __init__(
        self, in_place: set[str], sensitivities: Collection[str] | None, kinds: Mapping[str, ValueKind]
    ) -> None:
        self.in_place = in_place
        self.sensitivities = sensitivities
        self.kinds = kinds
        self.folds = False

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        self.folds = self.sensitivities is not None
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        before = node.value
        self.folds = root_of(node.targets[0]) in (self.sensitivities or ())
        node.value = self.visit(filled(before))
        if any(isinstance(part, ast.Slice) for part in nodes_in(*node.targets)):
            node.value = without_copy(node.value)
        elif (viewed := viewed_by(node.value)) and not self._may_alias(target_name(node), viewed, before):
            node.value = before
        return node

    def _may_alias(self, target: str, viewed: str, before: ast.expr) -> bool:
        if {target, viewed} & self.in_place:
            return False
        return bool(viewed_by(before)) or self.sensitivities is None or target in self.sensitivities

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        node.operand = without_copy(node.operand)
        return self._folded(node)

    def visit_List(self, node: ast.List | ast.Tuple) -> ast.expr:
        node.elts = self._new(node.elts)
        return node

    visit_Tuple = visit_List

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        node.values = self._new(node.values)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            node.args = self._new(node.args)
            return node
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in (*FRESH_CALLS, "dot"):
            node.args = list(map(without_copy, node.args))
        return node

    def _new(self, items: Sequence[ast.expr]) -> list[ast.expr]:
        """What a container holds; a product with 1.0 stays, because it is an array of its own."""
        visited = [(item, self.visit(filled(item))) for item in items]
        return [item if viewed_by(made) and not viewed_by(item) else made for item, made in visited]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        return _transposed(node.value) or node if node.attr == "T" else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        node.left, node.right = without_copy(node.left), without_copy(node.right)
        if isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if _is_one(one):
                    return self._by_one(other, one)
            if isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.Div) and _is_one(node.right.left):
                return quotient(self._by_one(node.left, node.right.left), node.right.right)
        return self._folded(node)

    def _by_one(self, factor: ast.expr, one: ast.expr) -> ast.expr:
        """The product of a factor with 1.0 or -1.0; NumPy refuses the sign of a condition, which stays a product."""
        if isinstance(one, ast.Constant):
            return factor
        return negative(factor) if self._is_real(factor) else ast.BinOp(one, ast.Mult(), factor)

    def _is_real(self, node: ast.expr) -> bool:
        """Whether an expression is surely no condition and no integer. A name of an unknown kind may be one."""
        if isinstance(node, VIEWS):
            return self._kind(node) in ("number", "array")
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
            return self._is_real(node.left) or self._is_real(node.right)
        if isinstance(node, ast.Call):
            return not ast.unparse(node.func).startswith(("np.logical", "np.is"))
        return isinstance(node, (ast.BinOp, ast.UnaryOp)) or (
            isinstance(node, ast.Constant) and type(node.value) is float
        )

    def _kind(self, node: ast.expr) -> str:
        """What a name holds; empty for other expressions and unknown names."""
        return self.kinds[node.id].name if isinstance(node, ast.Name) and node.id in self.kinds else ""

    def _folded(self, node: ast.expr) -> ast.expr:
        """A product with its constants folded, if that is not another type of number, or an array of the caller's."""
        made = folded(node) if self.folds else node
        is_given = isinstance(made, VIEWS) and self._kind(made) != "number"
        return node if is_given or not self._is_real(made) else made

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.folds = root_of(node.target) in (self.sensitivities or ())
        self.generic_visit(node)
        if not isinstance(node.op, ast.Add):
            return node
        match node.value:
            case ast.BinOp(factor, ast.Mult(), ast.UnaryOp(ast.USub(), operand)):
                return accumulate(node.target, negative(ast.BinOp(factor, ast.Mult(), operand)))
        return accumulate(node.target, node.value)


def without_copy(node: ast.expr) -> ast.expr:
    """`x` of `x.copy()`, and `x[i]` of `x[i].copy()`; other expressions as they are."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args  # not np.copy(x)
    is_copy = is_method and node.func.attr == "copy"  # type: ignore[attr-defined]
    part = node.func.value if is_copy else node  # type: ignore[attr-defined]
    return part if isinstance(part, (ast.Name, ast.Subscript)) else node


def _transposed(node: ast.expr) -> ast.expr | None:
    """The transpose of a transpose or of an outer product; None for that of others."""
    match node:
        case ast.Attribute(value=whole, attr="T"):
            return whole
        case ast.Call(func=ast.Attribute(value=ast.Name("np"), attr="outer") as outer, args=[x, y], keywords=[]):
            return ast.Call(outer, [y, x], [])
    return None


def simplified(
    statements: Statements,
    written: Iterable[str] = (),
    sensitivities: Collection[str] | None = None,
    kinds: Mapping[str, ValueKind] = MappingProxyType({}),
) -> Statements:
    """The statements with products with 1.0 and sums of negatives simplified.

    Args:
        statements: a pass or a whole function.
        written: the names that others write into.
        sensitivities: the names for which `x * 1.0` may become `x`; None for all.
        kinds: the kinds of names.
    """
    simplifier = _Simplifier(written_in_place(statements).union(written), sensitivities, kinds)
    return [simplifier.visit(statement) for statement in statements]


SPREADS = ("np.full_like", "np.broadcast_to")


def without_spreads(statements: Statements) -> Statements:
    """A pass without arrays of equal parts that are added to a sensitivity, which broadcasts them anyway.

    Zeros must be merged before: the term that a sensitivity starts with keeps its shape.
    """
    for statement in statements:
        for block in block_lists(statement):
            without_spreads(block)
        value = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)) and target_name(statement):
            is_own = isinstance(value.left, ast.Name) and value.left.id == target_name(statement)
            added = value.right
            if is_own and isinstance(added, ast.Call) and ast.unparse(added.func) in SPREADS:
                is_full_like = ast.unparse(added.func) == SPREADS[0]
                value.right = added.args[1 if is_full_like else 0]
    return statements
