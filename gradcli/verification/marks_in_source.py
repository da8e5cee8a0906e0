"""What the source of a module says of its gradients: marks, comments, pairs of names; nothing is imported."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gradcli.verification.marks import DERIVATIVES
from gradcli.verification.name_pairs import may_hold, pairs, required
from gradcli.verification.options import ENTRY, InputPlace, of_comment, read

_COMMENT = re.compile(r"^[ \t]*#[ \t]*gradcli:[ \t]*(.*)$", re.MULTILINE)
COMPUTED = object()  # the value of a mark that is no literal


class Definition(NamedTuple):
    """A function and its derivative, as the source of a module names them.

    Args:
        target: the name of the function in the module; of a mark that names it otherwise, its text.
        against: the name of the derivative; None where the function is checked alone.
        options: how it is checked.
        origin: marked, commented or paired.
        line: of the derivative, or of the function alone.
        parameters: what the function requires, as far as the module defines it.
    """

    target: str
    against: str | None
    options: dict[str, Any]
    origin: str
    line: int
    parameters: tuple[str, ...]


def definitions(path: str, patterns: Mapping[str, tuple[str, ...]], *, paired: bool = True) -> list[Definition]:
    """What the source of a file says, in the order of its lines; a file that does not parse says nothing.

    Args:
        path: of the file.
        patterns: of the names of derivatives.
        paired: whether pairs of names count.

    Raises:
        UsageError: a mark or a comment has an unknown option, or a value that it does not take.
    """
    try:
        with tokenize.open(path) as file:
            text = file.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return []
    named = paired and may_hold(text, patterns)
    if not named and not any(word in text for word in (*DERIVATIVES, "gradcli:")):
        return []
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return _Module(path, text, tree, patterns if named else {}).found()


class _Module:
    """The source of a module."""

    def __init__(self, path: str, text: str, tree: ast.Module, patterns: Mapping[str, tuple[str, ...]]) -> None:
        self.path = path
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.methods = {
            f"{owner.name}.{node.name}": node
            for owner in tree.body
            if isinstance(owner, ast.ClassDef)
            for node in owner.body
            if isinstance(node, ast.FunctionDef)
        }
        self.comments = {text.count("\n", 0, each.start()) + 1: each[1] for each in _COMMENT.finditer(text)}
        self.pairs = list(pairs(self.functions, patterns))

    def found(self) -> list[Definition]:
        """All that it says; of a function that several speak of, the first of mark, comment and name."""
        said = [*self._marked(), *self._commented()]
        known = {(each.target, each.against) for each in said}
        said += [each for each in self._paired() if (each.target, each.against) not in known]
        return sorted(said, key=lambda each: each.line)

    def _definition(
        self, target: str, against: str | None, options: dict[str, Any], origin: str, node: ast.FunctionDef
    ) -> Definition:
        function = self.functions.get(target)
        return Definition(target, against, options, origin, node.lineno, required(function) if function else ())

    def _marked(self) -> Iterator[Definition]:
        for name, node in (*self.functions.items(), *self.methods.items()):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and (word := _last_name(call.func)) in DERIVATIVES and call.args:
                    options = {"of": DERIVATIVES[word], **self._keywords(call)}
                    yield self._definition(_function(call.args[0]), name, options, "marked", node)

    def _keywords(self, call: ast.Call) -> dict[str, Any]:
        """The options of a mark; those that are no literals as `COMPUTED`."""
        place = InputPlace(f"{self.path}:{call.lineno}, {ast.unparse(call.func)}", self.path, call.lineno)
        values = {each.arg.replace("_", "-"): _literal(each.value) for each in call.keywords if each.arg}
        known = {key: value for key, value in values.items() if value is not COMPUTED and key not in ("at", "box")}
        taken = {key: reader for key, reader in ENTRY.items() if key not in ("target", "against", "of")}
        rest = {key.replace("-", "_"): value for key, value in values.items() if key not in known and key in taken}
        return (
            read({key: value for key, value in values.items() if key in known or key not in taken}, taken, place) | rest
        )

    def _commented(self) -> Iterator[Definition]:
        for name, node in self.functions.items():
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            texts: list[str] = []
            while (text := self.comments.get(first - 1)) is not None:
                texts.insert(0, text)
                first -= 1
            if texts:
                options = of_comment(" ".join(texts), InputPlace(f"{self.path}:{first}", self.path, first))
                yield self._definition(*self._named(name, options), options, "commented", node)

    def _named(self, name: str, options: dict[str, Any]) -> tuple[str, str | None]:
        """The function and its derivative for a comment above one of the two."""
        target, against = options.pop("target", None), options.pop("against", None)
        if target:
            return target, against or name
        if against:
            return name, against
        for pair in self.pairs:
            if name in (pair.derivative, pair.function):
                options.setdefault("of", pair.of)
                return pair.function, pair.derivative
        return name, None

    def _paired(self) -> Iterator[Definition]:
        for pair in self.pairs:
            options = {} if pair.of == "gradient" else {"of": pair.of}
            node = self.functions[pair.derivative]
            yield self._definition(pair.function, pair.derivative, options, "paired", node)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _function(node: ast.expr) -> str:
    """The name of the function that a mark names."""
    literal = _literal(node)
    return literal if isinstance(literal, str) else ast.unparse(node)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return COMPUTED
