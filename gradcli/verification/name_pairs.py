"""Pairs of functions and hand-written derivatives recognised by their names, such as `f` and `grad_f`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

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
