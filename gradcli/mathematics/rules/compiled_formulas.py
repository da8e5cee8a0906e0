"""Formulas compiled to Python functions, and the functions that each target has for the words in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gradcli.mathematics.language import Syntax
from gradcli.mathematics.language.formula_text import Emitter, emit, used_functions
from gradcli.mathematics.rules.rule_table import RULES, Functions


class LoadedFunctions(Functions):
    """The functions of a target that are loaded with the first one that is asked for.

    Args:
        form: as in `Functions`.
        load: returns the functions by name.
    """

    def __init__(self, form: str, load: Callable[[], Mapping[str, Callable[..., Any]]]) -> None:
        super().__init__(form=form)
        self._load = load
        self._is_complete = False

    def __contains__(self, name: object) -> bool:
        self._complete()
        return super().__contains__(name)

    def __missing__(self, name: str) -> Callable[..., Any]:
        return super().__missing__(name) if self._is_complete else self._complete()[name]

    def _complete(self) -> LoadedFunctions:
        if not self._is_complete:
            self.update(self._load())
            self._is_complete = True
        return self


class GenericFunctions(Functions):
    """The rules themselves, which compute on plain values and record on recorded ones."""

    def __missing__(self, name: str) -> Callable[..., Any]:
        self[name] = RULES[name]
        return self[name]


def _of_floats(which: str) -> Mapping[str, Callable[..., Any]]:
    from gradcli.mathematics.language import float_functions

    return vars(float_functions)[which]  # type: ignore[no-any-return]


def _of_numpy() -> Mapping[str, Callable[..., Any]]:
    import numpy as np

    from gradcli.mathematics.language import numpy_like_functions

    return numpy_like_functions.functions(np)


PLAIN_FUNCTIONS = LoadedFunctions("plain", partial(_of_floats, "PLAIN"))
IEEE_FUNCTIONS = LoadedFunctions("ieee", partial(_of_floats, "IEEE"))
ARRAY_FUNCTIONS = LoadedFunctions("on_arrays", _of_numpy)
GENERIC_FUNCTIONS = GenericFunctions()  # the words that are no rules are added by `gradcli.mathematics.rules`


def compile_source(name: str, source: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """Compile the function `name` defined by `source`, which only gradcli's own templates and emitters write."""
    scope["__name__"] = __name__  # the module of the warnings of its lines
    exec(compile(source, f"<gradcli rule {name}>", "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def scope_of(tree: Syntax, functions: Functions, emitter: Emitter | None = None) -> dict[str, Any]:
    """The constants and functions that text emitted from `tree` may name; without those the emitter writes inline."""
    inline = emitter.inline if emitter else ()
    return {**functions.constants, **{name: functions[name] for name in used_functions(tree) if name not in inline}}


def compile_tree(
    name: str, parameters: tuple[str, ...], tree: Syntax, emitter: Emitter, functions: Functions, form: str = "{}"
) -> Callable[..., Any]:
    """Compile a function `name(*parameters)` that returns the value of `tree`, wrapped in a form such as `-({})`."""
    source = f"def {name}({', '.join(parameters)}):\n    return {form.format(emit(tree, emitter))}\n"
    return compile_source(name, source, scope_of(tree, functions, emitter))
