"""The layout of a derived program as text, in the style of `ruff format`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from gradcli.answers.derivation.formatted_statements import INDENT, WIDTH, plain, styled, wrapped
from gradcli.answers.derivation.intermediate.statements import Branch, LoopStatement
from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.passes.reverse import StatementMark, is_empty


class Layout:
    """Writes the body of a function.

    Args:
        line_of: returns the user's line with a number.
        comments: the user's comments by line.
    """

    def __init__(self, line_of: Callable[[int], str], comments: dict[int, str]) -> None:
        self.line_of = line_of
        self.comments = dict(sorted(comments.items()))

    def function(self, name: str, parameters: str, docstring: Sequence[str], body: Statements) -> list[str]:
        """The lines of a function."""
        quoted = [f'{INDENT}"""{docstring[0]}', *(f"{INDENT}{text_line}".rstrip() for text_line in docstring[1:])]
        quoted = [f'{quoted[0]}"""'] if len(quoted) == 1 else [*quoted, f'{INDENT}"""']
        return [*wrapped(f"def {name}({parameters}):", ""), *quoted, *self.block(body, INDENT)]

    def block(self, block: Statements, indent: str) -> list[str]:
        """The lines of a block."""
        lines: list[str] = []
        pending = last = ""
        for line in block:
            if isinstance(line, StatementMark):
                pending = self.comment(line)
                continue
            if isinstance(line, (ast.If, ast.For, ast.While)):
                last = ""
            elif pending:
                lines += [f"{indent}# {pending}"] if pending != last else []
                pending, last = "", pending
            lines += self.above(line, indent)
            lines += self._statement(line, indent)
        return lines or [f"{indent}pass"]

    def comment(self, mark: StatementMark) -> str:
        """The user's line to which a part of the reverse pass belongs."""
        statement = mark.statement
        if statement is None or isinstance(statement, (Branch, LoopStatement)):
            return ""
        text = self.line_of(statement.line).split("#")[0].strip()
        return text if len(text) < WIDTH - len(INDENT) * 3 else f"{text[: WIDTH - len(INDENT) * 4]}…"

    def above(self, statement: ast.stmt, indent: str) -> Iterator[str]:
        """The user's comments on or above a line, each once."""
        line = getattr(statement, "lineno", 0)
        if not line:
            return
        for place in [comment for comment in self.comments if comment <= line]:
            yield f"{indent}# {self.comments.pop(place)}"

    def _statement(self, node: ast.stmt, indent: str) -> list[str]:
        if isinstance(node, ast.If):
            return self._branch(node, indent, "if")
        if isinstance(node, ast.For):
            head = f"for {_bare(node.target)} in {plain(node.iter)}:"
            return [*wrapped(head, indent), *self.block(node.body, indent + INDENT)]
        if isinstance(node, ast.While):
            return [*wrapped(f"while {plain(node.test)}:", indent), *self.block(node.body, indent + INDENT)]
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            return wrapped(f"{_bare(node.targets[0])} = {_bare(node.value)}", indent)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            return wrapped(f"return {_bare(node.value)}", indent)
        return wrapped(styled(ast.unparse(ast.fix_missing_locations(node))), indent)

    def _branch(self, node: ast.If, indent: str, word: str) -> list[str]:
        test, body, orelse = sides(node)
        lines = [*wrapped(f"{word} {plain(test)}:", indent), *self.block(body, indent + INDENT)]
        rest = [statement for statement in orelse if not isinstance(statement, StatementMark)]
        if len(rest) == 1 and isinstance(rest[0], ast.If):
            return [*lines, *self._branch(rest[0], indent, "elif")]
        if rest:
            lines += [f"{indent}else:", *self.block(orelse, indent + INDENT)]
        return lines


def sides(node: ast.If) -> tuple[ast.expr, Statements, Statements]:
    """The condition and the blocks of a branch; of one with an `else` only, the negated condition and that block."""
    if not is_empty(node.body) or is_empty(node.orelse):
        return node.test, node.body, node.orelse
    is_negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
    test = node.test.operand if is_negated else ast.UnaryOp(ast.Not(), node.test)  # type: ignore[attr-defined]
    return test, node.orelse, []


def _bare(node: ast.expr) -> str:
    """An expression as text, a tuple without its brackets."""
    text = plain(node)
    return text[1:-1] if isinstance(node, ast.Tuple) and len(node.elts) > 1 else text
