"""A derived gradient as LaTeX lines: the function, and the reverse sweep with the chain rule."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from gradcli.answers.derivation.function_text import sides
from gradcli.answers.derivation.intermediate.operation_derivatives import constant_of
from gradcli.answers.derivation.intermediate.statements import Assignment
from gradcli.answers.derivation.passes.cleanup import Statements, target_name
from gradcli.answers.derivation.passes.reverse import StatementMark, is_empty
from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.answers.derivation.syntax_trees import names_in, text_of
from gradcli.shared.latex_formulas import GREEK, SPECIAL, LatexFormulas, typed

INDENT = r"\quad "
SYMBOLS = {**GREEK, "lam": r"\lambda"}


def symbol(name: str) -> str:
    """A name as a symbol; the part after an underscore and final digits become subscripts."""
    head, _, rest = name.strip("_").partition("_")
    if not rest and (match := re.fullmatch(r"([A-Za-z]+?)(\d+)", head)):
        head, rest = match.groups()
    if not rest or not (len(head) == 1 or head in SYMBOLS):
        return _word(name, 2)
    return f"{SYMBOLS.get(head, head)}_{{{', '.join(_word(part, 4) for part in rest.split('_') if part)}}}"


def _word(word: str, shortest: int) -> str:
    """A word as a symbol, set as one word if it is long."""
    if word in SYMBOLS:
        return SYMBOLS[word]
    text = word.translate(SPECIAL)
    return text if len(word) < shortest else rf"\mathit{{{text}}}"


class SweepLines:
    """A derived gradient, with the value, as lines of LaTeX.

    Args:
        body: its statements, which return the value before the gradient.
        sensitivities: the name of the sensitivity to each variable.
        kinds: the kinds of the variables.
        function: the name of the function.
    """

    def __init__(
        self, body: Statements, sensitivities: Mapping[str, str], kinds: Mapping[str, ValueKind], function: str
    ) -> None:
        self.body = body
        self.sensitivities = sensitivities
        self.variables = {name: variable for variable, name in sensitivities.items()}
        of_sensitivities = {name: kinds[variable] for variable, name in sensitivities.items() if variable in kinds}
        known = {**kinds, **of_sensitivities}
        ranks = {name: kind.rank for name, kind in known.items() if kind.name == "array"}
        self.formulas = LatexFormulas(symbol, lambda name: ranks.get(name, 0))
        self.function = function
        self.begin = next(n for n, statement in enumerate(body) if self._is_backward(statement))

    def _is_backward(self, node: ast.stmt) -> bool:
        """Whether a statement belongs to the reverse sweep."""
        return isinstance(node, (StatementMark, ast.Return)) or target_name(node) in self.variables

    def lines(self) -> list[str]:
        """All lines of the environment."""
        straight = _is_straight(self.body)
        forward, backward = self.body[: self.begin], self.body[self.begin :]
        equations = self._equations(forward) if straight else self._block(forward, "")
        equations += self._value("&=" if straight else r"\gets")
        made = self._sums(backward) if straight else self._block(backward, "")
        rule = rf"s_v = \frac{{\partial {symbol(self.function)}}}{{\partial v}}"
        between = rf"\intertext{{Backwards, where ${rule}$ is the sensitivity to $v$:}}"
        return [*_ended(equations), between, *_ended(made)]

    def _value(self, sign: str) -> list[str]:
        """The line for the value."""
        returned = self.body[-1]
        assert isinstance(returned, ast.Return)
        assert isinstance(returned.value, ast.Tuple)
        value = self.formulas.text(returned.value.elts[0])
        return [f"{'' if sign == '&=' else '&'}{symbol(self.function)} {sign} {value}"]

    # Programs without loops and branches, in which each name is assigned once

    def _equations(self, block: Statements) -> list[str]:
        return [line for statement in block for line in self._equation(statement)]

    def _equation(self, node: ast.stmt) -> Iterator[str]:
        if isinstance(node, ast.Assign):
            yield f"{self.formulas.text(node.targets[0])} &= {self.formulas.text(node.value)}"
        elif isinstance(node, ast.AugAssign):
            yield self._added(node, "&")
        elif isinstance(node, ast.Return):
            yield self._gradient(node, "", "&=")

    def _sums(self, block: Statements) -> list[str]:
        """The sensitivities, each as the sum of its terms."""
        terms: dict[str, list[tuple[str, str]]] = {}
        last = {target_name(line): n for n, line in enumerate(block) if target_name(line)}
        sums: list[str] = []
        mark: StatementMark | None = None
        for n, line in enumerate(block):
            if isinstance(line, StatementMark):
                mark = line
                continue
            target = target_name(line)
            if not target or not isinstance(line, (ast.Assign, ast.AugAssign)):
                sums += self._equation(line)
                continue
            is_minus = isinstance(line, ast.AugAssign) and isinstance(line.op, ast.Sub)
            value = ast.UnaryOp(ast.USub(), line.value) if is_minus else line.value
            terms.setdefault(target, []).append((self._chain(mark, target), self.formulas.text(value)))
            if last[target] == n:
                sums += self._sum(target, terms.pop(target))
        return sums

    def _chain(self, mark: StatementMark | None, target: str) -> str:
        """The partial of a line with respect to a variable, times the sensitivity to the line's result."""
        statement = mark.statement if mark is not None else None
        variable = self.variables.get(target, "")
        given = statement.target if isinstance(statement, Assignment) else ""
        if variable == given or not {variable, given} <= self._named():
            return ""
        partial = rf"\frac{{\partial {symbol(given)}}}{{\partial {symbol(variable)}}}"
        sensitivity = self.sensitivities.get(given, "")
        if any(target_name(statement) == sensitivity for statement in self.body):
            return rf"{partial} \, {symbol(sensitivity)}"
        return partial if given == self._result() else ""

    def _named(self) -> set[str]:
        """The names in the lines of the function."""
        return {name for statement in self.body[: self.begin] for name in names_in(statement)} | {self._result()}

    def _result(self) -> str:
        """The variable that holds the value, whose sensitivity is 1."""
        returned = self.body[-1]
        assert isinstance(returned, ast.Return)
        assert isinstance(returned.value, ast.Tuple)
        return text_of(returned.value.elts[0])

    def _sum(self, target: str, terms: Sequence[tuple[str, str]]) -> Iterator[str]:
        chain = [partial for partial, _ in terms]
        value = _joined([term for _, term in terms])
        if all(chain) and len(chain) > 1:
            yield rf"{symbol(target)} &= {_joined(chain)}"
            yield f"&= {value}"
        elif all(chain):
            yield rf"{symbol(target)} &= {_joined(chain)} = {value}"
        else:
            yield rf"{symbol(target)} &= {value}"

    # Other programs, with lines in the order of execution

    def _block(self, block: Statements, indent: str) -> list[str]:
        return [line for statement in block for line in self._line(statement, indent)]

    def _line(self, node: ast.stmt, indent: str) -> Iterator[str]:
        formulas = self.formulas
        if isinstance(node, ast.Assign):
            yield from self._assigned(node, indent)
        elif isinstance(node, ast.AugAssign):
            yield self._added(node, f"&{indent}")
        elif isinstance(node, ast.If):
            yield from self._branch(node, indent)
        elif isinstance(node, ast.For):
            yield rf"&{indent}{self._range(node)}\colon"
            yield from self._block(node.body, indent + INDENT)
        elif isinstance(node, ast.While):
            yield rf"&{indent}\text{{while }} {formulas.text(node.test)}\colon"
            yield from self._block(node.body, indent + INDENT)
        elif isinstance(node, ast.Break):
            yield rf"&{indent}\text{{leave the loop}}"
        elif isinstance(node, ast.Return):
            yield self._gradient(node, f"&{indent}", r"\gets")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield f"&{indent}{self._effect(node.value)}"
        elif isinstance(node, (ast.Assert, ast.Raise)):
            yield f"&{indent}{typed(text_of(node))}"

    def _assigned(self, node: ast.Assign, indent: str) -> Iterator[str]:
        target, value = self.formulas.text(node.targets[0]), node.value
        if isinstance(value, ast.Constant) and value.value is None:
            return
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "pop":
            yield rf"&{indent}\text{{take }} {target} \text{{ off }} {self.formulas.text(value.func.value)}"
            return
        yield rf"&{indent}{target} \gets {self.formulas.text(value)}"

    def _effect(self, call: ast.Call) -> str:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            return (
                rf"\text{{put }} {self.formulas.text(call.args[0])} \text{{ on }} {self.formulas.text(call.func.value)}"
            )
        return typed(text_of(call))

    def _added(self, node: ast.AugAssign, lead: str) -> str:
        sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: r"\times", ast.Div: "/"}.get(type(node.op), "")
        target = self.formulas.text(node.target)
        return rf"{lead}{target} \mathrel{{{sign}}}= {self.formulas.text(node.value)}"

    def _branch(self, node: ast.If, indent: str) -> Iterator[str]:
        test, body, orelse = sides(node)
        yield rf"&{indent}\text{{if }} {self.formulas.text(test)}\colon"
        yield from self._block(body, indent + INDENT)
        if not is_empty(orelse):
            yield rf"&{indent}\text{{otherwise}}\colon"
            yield from self._block(orelse, indent + INDENT)

    def _range(self, node: ast.For) -> str:
        target, items, is_reversed = self.formulas.text(node.target), node.iter, False
        if isinstance(items, ast.Call) and text_of(items.func) == "reversed":
            items, is_reversed = items.args[0], True
        turns = _turns(items)
        if text_of(node.target) == "_" and turns is not None:
            return rf"\text{{repeat }} {self.formulas.text(turns)} \text{{ times}}"
        bounds = _bounds(items)
        if bounds is None:
            order = r" \text{ in reverse}" if is_reversed else ""
            return rf"\text{{for }} {target} \text{{ in }} {self.formulas.text(items)}{order}"
        first, last = (self.formulas.text(bound) for bound in (bounds[::-1] if is_reversed else bounds))
        return rf"\text{{for }} {target} = {first}, \dots, {last}"

    def _gradient(self, node: ast.Return, lead: str, sign: str) -> str:
        assert isinstance(node.value, ast.Tuple)
        return rf"{lead}\nabla {symbol(self.function)} {sign} {self.formulas.text(node.value.elts[1])}"


def _joined(terms: Sequence[str]) -> str:
    text = terms[0]
    for term in terms[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def _ended(lines: Sequence[str]) -> list[str]:
    """Lines with line breaks, except for the last."""
    return [*(rf"{line} \\" for line in lines[:-1]), *lines[-1:]]


def _is_straight(body: Statements) -> bool:
    """Whether a program has no loop and no branch, and assigns each name once."""
    given = [
        target_name(statement) for statement in body if isinstance(statement, ast.Assign) and target_name(statement)
    ]
    simple = (ast.Assign, ast.AugAssign, ast.Return, StatementMark)
    return all(isinstance(statement, simple) for statement in body) and len(given) == len(set(given))


def _bounds(items: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The first and the last number of a range with step 1."""
    if not isinstance(items, ast.Call) or text_of(items.func) != "range" or len(items.args) > 2:
        return None
    first = items.args[0] if len(items.args) == 2 else ast.Constant(0)
    stop = items.args[-1]
    known = constant_of(stop)
    return first, ast.BinOp(stop, ast.Sub(), ast.Constant(1)) if known is None else ast.Constant(known - 1)


def _turns(items: ast.expr) -> ast.expr | None:
    """The length of a range that starts at zero."""
    if isinstance(items, ast.Subscript) and isinstance(items.slice, ast.Slice):
        return items.slice.upper
    if isinstance(items, ast.Call) and text_of(items.func) == "range" and len(items.args) == 1:
        return items.args[0]
    return None
