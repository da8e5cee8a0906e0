"""Resolution of a typed target: its form, and the function or expression that it names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from keyword import iskeyword
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gradcli.answers.targets import python_files
from gradcli.answers.targets.target import Target
from gradcli.errors import TargetError, UsageError
from gradcli.mathematics.language.vocabulary import CONSTANTS, canonical
from gradcli.shared.message_wording import did_you_mean, quoted, shortened

if TYPE_CHECKING:
    from gradcli.answers.targets.session_definitions import Names

FORMS = "A target is file.py:function, package.module:function or an expression such as 2*x + sin(y)."

Asked = str | Target

# Compiled one after another, only as far as a text needs them.
_FILE = r"(.+\.pyw?)\s*(?:::?(.*))?"
_PATH = r"(?:~[\w.-]*/|~\\|\.{0,2}/|[A-Za-z]:[/\\]|[^:]*\\).*"
_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)+"
_FUNCTIONS = "fghFGH"  # any other letter alone is an input
_PATH_OF_NAMES = r"[\w .-]+(?:/[\w .-]+)+"
_LONGEST_PATH = 4096


def resolve(text: Asked | Callable[..., Any], known: Names | None = None) -> Target:
    """Resolve a text to a target: a known function, a function of a file or module, or an expression.

    A `Target` is returned unchanged, and a Python function becomes one. A text that looks like a path, ends in `.py` or
    contains a colon is never an expression.

    Raises:
        TargetError: the file, module or function does not exist, or the file does not parse.
        UserCodeError: the file or module raises while it is loaded.
        ExpressionError: the expression is not in the formula language.
        PointError: the expression has no inputs.
    """
    if isinstance(text, Target):
        return text
    if not isinstance(text, str):
        return _of_object(text)
    typed = text.strip()
    if not typed:
        raise TargetError("The target is empty.", hint=FORMS)
    if known and typed in known.own_functions:
        return known.target(typed)
    if match := re.fullmatch(_FILE, typed, re.DOTALL | re.IGNORECASE):
        return _of_file(text, match[1], match[2] or "")
    if re.match(_PATH, typed, re.DOTALL) or (not typed.isidentifier() and os.path.isdir(typed)):
        return _of_file(text, *_split(typed, after=3))
    if ":" in typed and not (known and "[" in typed.partition(":")[0]):  # the prompt has slices
        return _of_module(text, *_split(typed))
    if re.fullmatch(_DOTTED, typed) or _names_a_file(typed):
        raise _no_expression(typed)
    is_name = typed.isidentifier() and re.fullmatch(r"\w+", typed)  # a dot between factors may stand in identifiers
    is_word = is_name and not iskeyword(typed) and (len(typed) > 1 or typed in _FUNCTIONS)
    if is_word and typed not in (known.constants if known else CONSTANTS) and not canonical(typed):
        raise _unknown_function(typed, known)
    from gradcli.answers.targets.expressions import LANGUAGE, parse_target

    return parse_target(text, known or LANGUAGE)


def _of_object(function: Any) -> Target:
    """The target of a Python function, or of an object that an adapter takes."""
    from gradcli.answers.targets.functions import target_of
    from gradcli.engine.running.bound_call import name_of
    from gradcli.methods.adapters.adapter_table import adapted

    made = adapted(function)
    if made is None and not callable(function):
        from gradcli.methods.transforms.scalar_results import result_description

        hint = "Pass a function, or a target as text: 'x**2'"
        raise UsageError(f"{result_description(function)} is not a function", hint=hint)
    return target_of(name_of(function), name_of(function), made or function)


def neighbour(target: Target, name: str) -> Target | None:
    """The function called `name` in the module of `target`; None if there is none, or if the target has no module.

    Raises:
        TargetError: the name is not a function.
    """
    module = module_of(target.text)
    if module is None:
        return None
    text = f"{module}:{name.strip()}"
    try:
        return resolve(text)
    except TargetError:
        if name.partition(".")[0] in vars(load(module)):
            raise
        return None


def neighbours(target: Target) -> list[str]:
    """The names of the functions in the module of `target`; none if it has no module."""
    from gradcli.answers.targets.lookup import functions_of

    module = module_of(target.text)
    return functions_of(load(module)) if module else []


def module_of(text: str) -> str | None:
    """The file or module in a target, as typed; None for an expression."""
    typed = text.strip()
    if match := re.fullmatch(_FILE, typed, re.DOTALL | re.IGNORECASE):
        return match[1]
    return _split(typed)[0] if ":" in typed else None


def load(module: str) -> ModuleType:
    """Load a module given as a file or by its dotted name."""
    if re.fullmatch(_FILE, module, re.IGNORECASE) or "/" in module:
        return python_files.load(module)
    from gradcli.answers.targets import modules

    return modules.load(module)


def _split(typed: str, after: int = 0) -> tuple[str, str]:
    """Split a text at its last colon or double colon, ignoring the colon of a drive letter."""
    colon = typed.rfind(":", after)
    if colon < 0:
        return typed, ""
    return typed[:colon].removesuffix(":").rstrip(), typed[colon + 1 :]


def _of_file(text: str, path: str, name: str) -> Target:
    return _of_loaded(text, python_files.load(path), path, name)


def _of_module(text: str, module: str, name: str) -> Target:
    if re.fullmatch(_PATH_OF_NAMES, module):
        return _of_file(text, module, name)
    if not re.fullmatch(r"[\w.-]+", module):
        raise TargetError(f"{quoted(text.strip())} is not a target; an expression has no colon.", hint=FORMS)
    return _of_loaded(text, load(module), module, name)


def _of_loaded(text: str, module: ModuleType, source: str, name: str) -> Target:
    from gradcli.answers.targets.functions import function_target, target_of
    from gradcli.answers.targets.lookup import attribute, find
    from gradcli.methods.adapters.adapter_table import adapted

    named = name.strip()
    if named and (made := adapted(attribute(module, named, source))) is not None:
        return target_of(text, named, made)
    return function_target(text, *find(module, named, source))


def _names_a_file(typed: str) -> bool:
    """Whether a text that looks like a quotient is the path of a file, with or without its extension."""
    if len(typed) > _LONGEST_PATH or not re.fullmatch(_PATH_OF_NAMES, typed):
        return False
    return os.path.exists(typed) or os.path.isfile(f"{typed}.py")


def _unknown_function(name: str, known: Names | None) -> TargetError:
    """The error for a word alone, which is a misspelt function far more often than an expression of one input."""
    from gradcli.answers.targets import array_functions

    if known and array_functions.is_array_word(name):
        return TargetError(f"The function {name} needs brackets.", hint=f"Type {name}(…).")
    near = (did_you_mean(name, {*known.formulas, *known.loaded}) if known else None) or ""
    forms = f"A function of a file is typed file.py:{name}; the expression of one input is typed 1*{name}."
    return TargetError(f"{name} is not a function.", hint=f"{near} {forms}".strip())


def _no_expression(typed: str) -> TargetError:
    if os.path.exists(typed):
        return TargetError(f"{quoted(typed)} is not a Python file (.py).", hint=FORMS)
    if os.path.isfile(f"{typed}.py"):
        return TargetError(f"{quoted(typed)} is not an expression.", hint=f"Did you mean {typed}.py?")
    owner, _, name = typed.rpartition(".")
    hint = f"A function of a module is typed {shortened(f'{owner}:{name}')}."
    return TargetError(f"{quoted(typed)} is not an expression.", hint=hint)
