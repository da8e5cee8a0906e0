"""Derivatives found in source without running it: marks by decorators and comments, and pairs of names."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.shared.records.verification import Origin
from gradcli.verification.check_options import COMMENT, ENTRY, InputPlace, has_point, of_comment, read_options
from gradcli.verification.gradient_marks import DERIVATIVES

_COMMENT = re.compile(r"#[ \t]*gradcli(:|(?=[ \t]+--))[ \t]*(.*)$", re.MULTILINE)
ASTRAY = "Put it directly above def, or list a method as object.method of its file."
_DATA = ("at", "box")
COMPUTED = object()  # stands for a value in a mark that is not a literal


class Definition(NamedTuple):
    """A function and its derivative, as declared in the source of a module, or listed in a configuration.

    Args:
        target: the name of the function in the module, or the expression for it in a mark.
        against: the name of the derivative; None if the function is checked alone.
        options: the options of the check.
        origin: marked, commented, paired or listed.
        line: the line of the derivative, or of the function alone.
        example: a point of the function as an example, if the module defines it: 1 for each required parameter.
        fault: the error in this declaration, whose options are then empty.
    """

    target: str
    against: str | None
    options: dict[str, Any]
    origin: Origin
    line: int
    example: str = ""
    fault: str | None = None


def definitions(
    path: str, patterns: Mapping[str, tuple[str, ...]], *, paired: bool = True, given: bool = False
) -> list[Definition]:
    """The declarations in a source file, in the order of their lines.

    An invalid mark or comment is a definition with a fault. A file that does not parse is a definition with a fault if
    it is given or mentions gradcli, and is ignored otherwise.

    Args:
        path: the path of the file.
        patterns: naming patterns of derivatives.
        paired: whether to include pairs recognised by name.
        given: whether the file itself was named, rather than its folder.
    """
    asks = given
    try:
        with tokenize.open(path) as file:
            text = file.read()
        named = paired and may_hold(text, patterns)
        asks = given or bool(_COMMENT.search(text)) or any(f"{word}(" in text for word in DERIVATIVES)
        if not named and not asks:
            return []
        source = _MarkedSource(path, text, patterns if named else {})
    except OSError:
        return []
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError) as error:
        return [_unreadable(path, error)] if asks else []
    return source.declared()


def _unreadable(path: str, error: Exception) -> Definition:
    """The definition with a fault for a file that does not parse."""
    line = getattr(error, "lineno", None) or 1
    message = getattr(error, "msg", None) or str(error)
    return Definition("", None, {}, "marked", line, fault=f"{path}:{line}: this is no Python: {message}")


def _comments(text: str) -> Iterator[tuple[tokenize.TokenInfo, re.Match[str]]]:
    """The comments that name gradcli; a `#` in a text begins none."""
    if _COMMENT.search(text):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and (comment := _COMMENT.match(token.string)):
                yield token, comment


class _MarkedSource:
    """The source of a module.

    Raises:
        SyntaxError, ValueError, RecursionError, tokenize.TokenError: the text is no Python.
    """

    def __init__(self, path: str, text: str, patterns: Mapping[str, tuple[str, ...]]) -> None:
        self.path, self.tree = path, ast.parse(text)
        self.functions = {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        self.methods = {
            f"{owner.name}.{node.name}": node
            for owner in self.tree.body
            if isinstance(owner, ast.ClassDef)
            for node in owner.body
            if isinstance(node, ast.FunctionDef)
        }
        self.comments, self.trailing = dict[int, re.Match[str]](), dict[int, re.Match[str]]()
        for token, comment in _comments(text):
            (self.trailing if token.line[: token.start[1]].strip() else self.comments)[token.start[0]] = comment
        self.pairs = list(pairs(self.functions, patterns))

    def declared(self) -> list[Definition]:
        """All declarations; for a pair declared several times, the mark or comment replaces the pair by name."""
        declarations = [*self._marked(), *self._commented(), *self._astray()]
        known = {(declaration.target, declaration.against) for declaration in declarations}
        declarations += [
            declaration for declaration in self._paired() if (declaration.target, declaration.against) not in known
        ]
        return sorted(declarations, key=lambda declaration: declaration.line)

    def _definition(
        self, target: str, against: str | None, options: dict[str, Any], origin: Origin, node: ast.FunctionDef
    ) -> Definition:
        function = self.functions.get(target)
        asks = function is not None and not has_point(options)
        example = ",".join(f"{name}=1" for name in required(function)) if function and asks else ""
        return Definition(target, against, options, origin, node.lineno, example)

    def _marked(self) -> Iterator[Definition]:
        for name, node in (*self.functions.items(), *self.methods.items()):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and (word := _last_name(call.func)) in DERIVATIVES and call.args:
                    target = _function(call.args[0])
                    try:
                        options = {"of": DERIVATIVES[word], **self._keywords(call)}
                    except UsageError as error:
                        yield Definition(target, name, {}, "marked", call.lineno, fault=_said(error))
                        continue
                    yield self._definition(target, name, options, "marked", node)

    def _keywords(self, call: ast.Call) -> dict[str, Any]:
        """The options of a mark, with `COMPUTED` for values that are not literals."""
        place = InputPlace(f"{self.path}:{call.lineno}, {ast.unparse(call.func)}", self.path, call.lineno)
        values = {keyword.arg.replace("_", "-"): _literal(keyword.value) for keyword in call.keywords if keyword.arg}
        readers = {key: reader for key, reader in ENTRY.items() if key not in ("target", "against", "of")}
        # A point and a box are Python data in a mark, and text elsewhere
        as_given = [key for key, value in values.items() if key in readers and (value is COMPUTED or key in _DATA)]
        read = read_options({key: value for key, value in values.items() if key not in as_given}, readers, place)
        return read | {key.replace("-", "_"): values[key] for key in as_given}

    def _commented(self) -> Iterator[Definition]:
        for name, node in self.functions.items():
            first = last = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            while first - 1 in self.comments:
                first -= 1
            if first < last:
                try:
                    options = self._options(first, last)
                except UsageError as error:
                    yield Definition(name, None, {}, "commented", first, fault=_said(error))
                    continue
                yield self._definition(*self._named(name, options), options, "commented", node)

    def _options(self, first: int, last: int) -> dict[str, Any]:
        """The options in the comments of lines `first` to `last - 1`, which are removed from `comments`."""
        comments = [self.comments.pop(line) for line in range(first, last)]
        place = InputPlace(f"{self.path}:{first}", self.path, first)
        if not all(comment[1] for comment in comments):
            raise place.error("the comment lacks its colon.", hint=COMMENT)
        return of_comment(" ".join(comment[2] for comment in comments), place)

    def _astray(self) -> Iterator[Definition]:
        """Definitions with a fault for comments that are not above a function of the module."""
        for line in [line for line, comment in (self.comments | self.trailing).items() if comment[2].startswith("--")]:
            message = f"{self.path}:{line}: the comment stands above no function of the module. {ASTRAY}"
            yield Definition("", None, {}, "commented", line, fault=message)

    def _named(self, name: str, options: dict[str, Any]) -> tuple[str, str | None]:
        """The function and its derivative for a comment above either of them."""
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


def _said(error: UsageError) -> str:
    return f"{error.message} {error.hint}" if error.hint else error.message


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _function(node: ast.expr) -> str:
    """The name of the function in the first argument of a mark."""
    literal = _literal(node)
    return literal if isinstance(literal, str) else ast.unparse(node)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return COMPUTED


PATTERNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "gradient": ("grad_{f}", "{f}_grad", "gradient_{f}", "{f}_gradient", "{f}_der", "{f}_prime"),
        "jacobian": ("jac_{f}", "{f}_jac", "jacobian_{f}", "{f}_jacobian"),
        "hessian": ("hess_{f}", "{f}_hess", "hessian_{f}", "{f}_hessian"),
        "hvp": ("{f}_hvp", "{f}_hessp", "{f}_hess_prod"),
    }
)
_DEFINITION = re.compile(r"^def ([^\W_]\w*)\(", re.MULTILINE)


class Pair(NamedTuple):
    """The names of a function and its derivative, and the kind of derivative."""

    function: str
    derivative: str
    of: str


def may_hold(text: str, patterns: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the text of a module may define a pair, judged without parsing it."""
    return any(True for _ in _named(set(_DEFINITION.findall(text)), patterns))


def pairs(definitions: Mapping[str, ast.FunctionDef], patterns: Mapping[str, tuple[str, ...]]) -> Iterator[Pair]:
    """The pairs of public functions in a module whose names match a pattern and whose required parameters agree."""
    public = {name for name in definitions if not name.startswith("_")}
    for pair in _named(public, patterns):
        given, taken = (required(definitions[name]) for name in (pair.function, pair.derivative))
        if given and (taken == given or (pair.of == "hvp" and taken[: len(given)] == given)):
            yield pair


def _named(names: set[str], patterns: Mapping[str, tuple[str, ...]]) -> Iterator[Pair]:
    for of, text in patterns.items():
        for pattern in text:
            before, after = pattern.split("{f}")
            for name in sorted(names):
                inner = name.removeprefix(before).removesuffix(after)
                if name == f"{before}{inner}{after}" and inner in names and inner != name:
                    yield Pair(inner, name, of)


def required(definition: ast.FunctionDef) -> tuple[str, ...]:
    """The names of the required parameters of a function."""
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = positional[: len(positional) - len(arguments.defaults)]
    named = [
        kwonlyarg
        for kwonlyarg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    return tuple(argument.arg for argument in (*needed, *named))
