"""Modules by their dotted names, as in `package.module:f`."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from gradcli.answers.targets.python_files import first_on_path, user_code
from gradcli.errors import TargetError
from gradcli.shared.message_wording import did_you_mean, quoted

CURRENT_FOLDER = ""  # the entry of `sys.path` for `python -c`


def load(name: str) -> ModuleType:
    """Import a module by its dotted name, with the current folder first on the path.

    Raises:
        TargetError: there is no such module.
        UserCodeError: the module raises during its import, or imports another module that is missing.
    """
    if not all(part.isidentifier() for part in name.split(".")):
        raise TargetError(f"{quoted(name)} is not a module name.", hint="A target is typed package.module:function.")
    with first_on_path(CURRENT_FOLDER), user_code(f"while {name} is imported"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            missing = error.name
    raise no_module(name, missing)


def no_module(name: str, missing: str) -> TargetError:
    """The error for a missing module: the one asked for, or a package that would contain it."""
    import pkgutil

    parent, _, last = missing.rpartition(".")
    if not parent:
        names = [*sys.stdlib_module_names, *(module.name for module in pkgutil.iter_modules())]
        hint = did_you_mean(last, names, after=name[len(missing) :])
        return TargetError(f"There is no module {quoted(name)}.", hint=hint)
    return TargetError(f"There is no module {quoted(last)} in {parent}.")
