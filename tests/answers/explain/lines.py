"""The printed lines of an explanation, recomputed with NumPy from their operands."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.special

import gradcli
from gradcli.shared.records.explanations import Addition, Explanation, ForwardSweep, Statement, Steps
from gradcli.shared.records.result_and_finding import Structure
from gradcli.shared.records.tapes import Node
from gradcli.terminal.render import Look, record_text

Record = Explanation | ForwardSweep

SCOPE = {
    **{name: getattr(scipy.special, name) for name in dir(scipy.special)},
    **{name: getattr(np, name) for name in dir(np)},
    "special": scipy.special,
    "beta_pdf": scipy.special._ufuncs._beta_pdf,
    "linalg": np.linalg,
    "fft": np.fft,
    "np": np,
    "scipy": scipy,
    "gradcli": gradcli,
    "vjp": gradcli.vjp,
    "jvp": gradcli.jvp,
    "float": float,
    "int": int,
    "__builtins__": {},
}
LINE = re.compile(r"^ +(?P<name>\S.*?) +\+= (?P<rest>.*)$")
NUMBERS = re.compile(r"^ +(?P<after>\S.*?)(?: += +(?P<before>.*?) +(?P<sign>[+-]) +(?P<amount>.*))?$")


class Line(NamedTuple):
    """One printed line by its parts; before and amount are empty if only the result is shown."""

    name: str
    term: str
    after: str
    before: str
    amount: str


def printed(record: Record) -> Iterator[Line]:
    """The lines `name += term  after = before + amount` of every iteration of every loop."""
    lines = iter(record_text(record, Look(), expand=True).splitlines())
    for line in lines:
        if found := LINE.match(line):
            term, gap, numbers = found["rest"].partition("  ")
            parts = NUMBERS.match("  " + numbers.strip() if gap else next(lines))
            assert parts is not None, line
            sign = "-" if parts["sign"] == "-" else ""
            yield Line(
                found["name"], term.strip(), parts["after"], parts["before"] or "", sign + (parts["amount"] or "")
            )


class Names:
    """Identifiers for names that are not Python identifiers, such as `x#2`, `%7` and `params.w`."""

    def __init__(self, names: Iterable[str]) -> None:
        odd = sorted((name for name in names if not name.isidentifier()), key=len, reverse=True)
        self.plain = {name: f"__{number}" for number, name in enumerate(odd)}
        either = "|".join(map(re.escape, odd))
        self.pattern = re.compile(rf"(?<![\w%.#])(?:{either})(?![\w#])" if odd else r"(?!)")

    def identifier(self, name: str) -> str:
        return self.plain.get(name, name)

    def text(self, text: str) -> str:
        """A formula with identifiers in place of such names."""
        return self.pattern.sub(lambda found: self.plain[found[0]], text)


def value(structure: Structure) -> Any:
    """A number as a NumPy number, nested lists as an array."""
    return np.array(structure)[()]


def number(text: str) -> Any:
    """A printed number or array; None if it is shortened."""
    if "…" in text or not text:
        return None
    return np.array(eval(text, {"nan": np.nan, "inf": np.inf}))


def check(record: Record, nodes: Sequence[Node]) -> int:
    """Recompute and compare every line of a record, given the nodes of the run; returns the number of lines."""
    checking = Checking(record, nodes)
    additions = [each for statement in record.statements for each in statement.additions]
    lines = list(printed(record))
    assert [(each.name, each.term) for each in additions] == [(line.name, line.term) for line in lines]
    with np.errstate(all="ignore"):
        for statement in record.statements:
            checking.expression(statement)
        for each, line in zip(additions, lines, strict=True):
            checking.term(line.term, value(each.amount))
            checking.sum(each)
            same_numbers(each, line)
    if isinstance(record, Explanation):
        checking.whole_sums(record)
    return len(lines)


def same_numbers(each: Addition, line: Line) -> None:
    """Compare the printed numbers with the record's, in full or to six digits; omitted sums must start at zero."""
    is_first = not np.any(value(each.before) != 0)
    assert line.after
    assert (not line.before) if is_first else (line.before or np.ndim(value(each.after))), each
    for text, known in ((line.after, each.after), (line.before, each.before), (line.amount, each.amount)):
        if (found := number(text)) is not None:
            np.testing.assert_array_equal(found, to_six_digits(value(known), found))


def to_six_digits(known: Any, printed: Any) -> Any:
    """The numbers of an array, rounded to six digits where they are printed so."""
    if np.iscomplexobj(known):
        return known
    rounded = np.vectorize(lambda x: float(f"{x:.6g}"), otypes=[float])(known)
    return np.where(printed == known, known, rounded)


def check_steps(record: Steps) -> int:
    """Recompute the terms of every move of a walk through a run; returns the number of terms."""
    checking = Checking(record, record.tape.nodes)
    additions = [each for move in record.moves for each in move.additions]
    with np.errstate(all="ignore"):
        for each in additions:
            checking.term(each.term, value(each.amount))
            checking.sum(each)
    return len(additions)


class Checking:
    """Recomputes a record from its operands."""

    def __init__(self, record: Record | Steps, nodes: Sequence[Node]) -> None:
        self.record, self.nodes = record, {node.index: node for node in nodes}
        self.letter = "d" if isinstance(record, ForwardSweep) else "s"
        self.statements = () if isinstance(record, Steps) else record.statements
        self.names = Names(record.operands)
        self.scope = {**SCOPE, **{self.names.identifier(name): value(x) for name, x in record.operands.items()}}
        self.symbols = {statement.index: statement.symbol for statement in self.statements}
        self.running: dict[int, Any] = {}

    def term(self, term: str, amount: Any) -> None:
        """Compare a term with the amount that is added."""
        try:
            text = with_functions(self.names.text(term))
        except LookupError:  # an operand inside a library's object
            return
        found = eval(text, self.scope)
        close(np.broadcast_to(found, np.shape(amount)), amount, term)

    def expression(self, statement: Statement) -> None:
        """Compare a formula with the value of its statement, or an assignment with the array that it writes into."""
        text = self.names.text(statement.expression)
        if self.nodes[statement.index].operation == "call" and "…" in text:
            return
        target, assigned, written = text.partition(" = ")
        if not assigned:
            close(eval(text, self.scope), value(statement.value), text)
            return
        identifiers = map(self.names.identifier, self.record.operands)
        root = next(name for name in identifiers if re.search(rf"(?<![\w.]){name}\b", target.partition("[")[0]))
        scope = {**self.scope, root: np.array(self.scope[root]), "_written": eval(written, self.scope)}
        exec(f"{target} = _written", scope)
        close(scope[root], value(statement.value), text)

    def sum(self, each: Addition) -> None:
        """Require that an amount is added only to the sensitivity, or the part of it, that the line names."""
        like = np.asarray(self.nodes[each.node].value)
        present = self.running.setdefault(each.node, np.zeros(like.shape, np.result_type(like, 0.0)))
        if each.node not in self.symbols:
            self.symbols[each.node] = self.symbol(each)
        symbol = self.symbols[each.node]
        scope = {**self.scope, "_sum": present, "_amount": value(each.amount)}
        assert symbol not in {statement.name for statement in self.statements}, f"{symbol} has two meanings"
        assert len(set(self.symbols.values())) == len(self.symbols), f"{symbol} is the name of two"
        place = self.names.text(each.name.replace(symbol, "_sum", 1))
        assert "_sum" in place, f"{each.name} is no place of {symbol}"
        close(eval(place, scope), value(each.before), each.name)
        exec(f"{place} += _amount", scope)
        self.running[each.node] = scope["_sum"]
        close(eval(place, scope), value(each.after), each.name)

    def whole_sums(self, record: Explanation) -> None:
        """Require that the amounts add up to the sensitivities and the gradient."""
        known = {node.index: record.gradient[node.name] for node in self.nodes.values() if node.name in record.gradient}
        known |= {statement.index: statement.sensitivity for statement in record.statements}
        for index, sensitivity in known.items():
            if index in self.running:
                np.testing.assert_allclose(self.running[index], value(sensitivity), 1e-9, 1e-11)

    def symbol(self, each: Addition) -> str:
        """The name of the sensitivity to a node: that of the node without a leading `t_`."""
        node = self.nodes[each.node]
        name = node.name or ("result" if each.node == max(self.nodes) else f"%{node.index}")
        ends = "|".join(map(re.escape, (name, f"({name})", f"%{node.index}", name.removeprefix("t_"))))
        found = re.search(rf"(?<!\w){self.letter}_+(?:{ends})(?![\w#])", each.name)
        assert found is not None, (each.name, name)
        return found[0]


class _Functions(ast.NodeTransformer):
    """Evaluates `vjp(call, x)(s)`, as printed for a library call, with `gradcli.vjp` and `gradcli.jvp`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        inner = node.func
        if not (isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in {"vjp", "jvp"}):
            return node
        call, x = map(ast.unparse, inner.args)
        function = f"lambda _x: {ast.unparse(_Replaced(x).visit(inner.args[0]))}"
        if "_x" not in ast.unparse(inner.args[0]):
            raise LookupError(f"{call} has no {x}")
        vector = ast.unparse(node.args[0])
        forms = {"vjp": f"vjp({function}, {x})[1]({vector})[0]", "jvp": f"jvp({function}, ({x},), ({vector},))[1]"}
        return ast.parse(forms[inner.func.id], mode="eval").body  # type: ignore[attr-defined]


class _Replaced(ast.NodeTransformer):
    """Replaces an expression by `_x`."""

    def __init__(self, text: str) -> None:
        self.text = text

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.Name("_x", ast.Load()) if ast.unparse(node) == self.text else self.generic_visit(node)


def with_functions(text: str) -> str:
    """A formula in which products with library calls can be evaluated.

    Raises:
        LookupError: a product is with respect to something that is not in the call.
    """
    if "…" in text:
        raise LookupError(text)
    return text if ")(" not in text else ast.unparse(_Functions().visit(ast.parse(text, mode="eval")))


def close(found: Any, known: Any, message: str) -> None:
    """Require equality up to rounding, including the shape."""
    assert np.shape(found) == np.shape(known), f"{message} gives {found}, not {known}"
    np.testing.assert_allclose(found, known, 1e-9, 1e-11, err_msg=message)
