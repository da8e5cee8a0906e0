"""The prelude of a derived file: imports, constants, and the user's functions that are called without a derivative."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from gradcli.answers.derivation.formatted_statements import literal, styled
from gradcli.answers.derivation.intermediate.copied_rule_functions import RULE_FUNCTIONS
from gradcli.answers.derivation.intermediate.operands import module_of
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.user_functions import is_users
from gradcli.answers.derivation.reading.value_kind import as_dicts
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import expression, filled, nodes_in, stored_names, text_of
from gradcli.errors import UnsupportedError
from gradcli.methods.transforms.gradients import stop_gradient

OURS = {
    "copy": ("copy", "import copy"),
    "math": ("math", "import math"),
    "np": ("numpy", "import numpy as np"),
}
SPECIAL = "from scipy import special"

SUM_TO = '''def sum_to(ct, shape):
    """The sum of ct over the axes along which an array of a shape was broadcast."""
    ct = np.sum(ct, axis=tuple(range(np.ndim(ct) - len(shape))))
    axes = tuple(n for n, length in enumerate(shape) if length == 1)
    return np.sum(ct, axis=axes, keepdims=True) if axes else ct'''
CHOLESKY_PULL = '''def cholesky_pull(ct, root):
    """The sensitivity to the lower triangle of root @ root.T; Murray, arXiv:1602.07527, equation 10."""
    halved = 1 + np.eye(len(root), dtype=ct.dtype)
    inner = np.tril(root.T @ ct) / halved
    outer = np.linalg.solve(root.T, np.linalg.solve(root.T, inner).T)
    return np.tril(outer + outer.T) / halved'''
CHOLESKY_PUSH = '''def cholesky_push(t, root):
    """The tangent of root from that of the lower triangle of root @ root.T; Murray, arXiv:1602.07527."""
    inner = np.linalg.solve(root, np.tril(t) + np.tril(t, -1).T)
    inner = np.linalg.solve(root, inner.T)
    return root @ (np.tril(inner) / (1 + np.eye(len(root), dtype=t.dtype)))'''
MEDIAN_PULL = '''def median_pull(ct, x):
    """The sensitivity to x from that to its median, the mean of the one or two elements in the middle."""
    middle = np.argsort(x, kind="stable")[(len(x) - 1) // 2 : len(x) // 2 + 1]
    s_x = np.zeros_like(x)
    s_x[middle] = ct / len(middle)
    return s_x'''
HELPERS = {
    "sum_to": SUM_TO,
    "cholesky_pull": CHOLESKY_PULL,
    "cholesky_push": CHOLESKY_PUSH,
    "median_pull": MEDIAN_PULL,
}


class Prelude:
    """The text before the functions of a derived file."""

    def __init__(self) -> None:
        self.imports: set[str] = set()
        self.constants: dict[str, str] = {}
        self.functions: dict[str, str] = {}
        self._known: dict[str, Any] = {}

    def add(self, names: Iterable[str], user: Any, own: set[str]) -> dict[str, ast.expr]:
        """Provide the free names of a function; `own` holds the names defined in the file itself.

        Returns:
            What to write for names that stand for another function of NumPy or `math` elsewhere in the file.

        Raises:
            UnsupportedError: a name stands for a value that has no source text.
        """
        written: dict[str, ast.expr] = {}
        for name in sorted(names):
            value = user.namespace.get(name)
            module = module_of(value)
            if module and self._known.get(name, value) is not value:
                written[name] = expression(f"{module}.{value.__name__}")
                self._one(module, user, own)
            elif name in HELPERS:
                self.functions[name] = HELPERS[name]
                self.imports.add(OURS["np"][1])
            elif name in RULE_FUNCTIONS and name not in user.namespace:
                self._of_rules(name, user)
            elif name not in own:
                self._one(name, user, own)
        return written

    def _of_rules(self, name: str, user: Any) -> None:
        """Add a function of the rules, and the functions it calls."""
        copied = RULE_FUNCTIONS[name]
        if name in user.namespace or name in self._known:
            raise _two_meanings(name, user)
        if name not in self.functions:
            self.functions[name] = text_of(copied.tree)
            self.imports |= {OURS[import_][1] if import_ in OURS else f"import {import_}" for import_ in copied.imports}
            for need in sorted(copied.needs):
                self._of_rules(need, user)

    def _one(self, name: str, user: Any, own: set[str]) -> None:
        value = user.namespace.get(name)
        if name in OURS and (name not in user.namespace or value is import_module(OURS[name][0])):
            self.imports.add(OURS[name][1])
        elif name == "scipy" and name not in user.namespace:
            self.imports.add("import scipy")
        elif name == "special" and _is_of_scipy(value, user):
            if self._known.setdefault(name, SPECIAL) is not SPECIAL:
                raise _two_meanings(name, user)
            self.imports.add(SPECIAL)
        elif name not in user.namespace:
            raise refusal_at(user.file, user.tree, f"what {name} is in {user.name}")
        elif getattr(builtins, name, None) is not value or not hasattr(builtins, name):
            if self._known.setdefault(name, value) is not value:
                raise _two_meanings(name, user)
            self._write(name, value, user, own)

    def _write(self, name: str, value: Any, user: Any, own: set[str]) -> None:
        if isinstance(value, ModuleType):
            home = _name_of_module(value)
            if not home:
                raise refusal_at(user.file, user.tree, f"the module {name}, which cannot be imported by a name")
            self.imports.add(f"import {home}" + (f" as {name}" if home != name else ""))
        elif is_users(value):
            self._copy(name, value, own)
        elif callable(value) and (module := _home(value)):
            theirs = value.__name__
            self.imports.add(f"from {module} import {theirs}" + (f" as {name}" if theirs != name else ""))
        else:
            text, module = literal(as_dicts(value)), user.function.__module__
            if text is None and "site-packages" in user.file and getattr(sys.modules[module], name, None) is value:
                self.imports.add(f"from {module} import {name}")
                return
            if text is None:
                raise refusal_at(user.file, user.tree, f"the value of {name}, a {type(value).__name__}", "Pass it in.")
            if "np." in text:
                self.imports.add(OURS["np"][1])
            self.constants[name] = f"{name} = {text}"

    def _copy(self, name: str, value: Any, own: set[str]) -> None:
        """Add a function that is called without a derivative, with the user's source."""
        if name in self.functions:
            return
        user = UserFunction(value)
        self.functions[name] = ""
        tree = filled(user.tree)
        tree.name, tree.returns = name, None
        for node in nodes_in(tree):
            if isinstance(node, ast.arg):
                node.annotation = None
            elif isinstance(node, ast.Call) and _called(node, user) is stop_gradient:  # copies, as nothing is recorded
                node.func = expression("copy.deepcopy")
        self.functions[name] = "\n".join(styled(line) if line.strip() else line for line in [ast.unparse(tree)])
        loaded = {n.id for n in nodes_in(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        written = self.add(loaded - stored_names(tree) - set(user.parameters), user, {*own, name})
        if written:
            raise _two_meanings(next(iter(written)), user)

    def lines(self) -> list[str]:
        """The imports and constants, followed by the functions."""
        standard = sorted(
            import_ for import_ in self.imports if import_.split()[1] in ("copy", "math", "operator", "statistics")
        )
        others = sorted(self.imports - set(standard), key=lambda statement: (statement.startswith("from"), statement))
        groups = [standard, others, list(self.constants.values())]
        lines: list[str] = []
        for group in groups:
            lines += [*([""] if lines and group else []), *group]
        for text in self.functions.values():
            lines += ["", "", *text.split("\n")]
        return lines


def _is_of_scipy(value: Any, user: Any) -> bool:
    """Whether `special` is SciPy's in a function: as a formula of a derivative has it, whatever its module calls so."""
    is_named = "special" in user.namespace and "special" in user.names
    return not is_named or getattr(value, "__name__", "") == "scipy.special"


def _called(node: ast.Call, user: UserFunction) -> Any:
    """The function that is called by its name, or by that of its module and its own; None for others."""
    *module, own = text_of(node.func).split(".")
    home = user.namespace.get(module[0]) if len(module) == 1 else None
    return getattr(home, own, None) if module else user.namespace.get(own)


def _two_meanings(name: str, user: Any) -> UnsupportedError:
    what = f"two different values of the name {name}"
    return refusal_at(user.file, user.tree, what, "Give one of them another name.")


def _name_of_module(module: ModuleType) -> str:
    """The name by which a module can be imported: its own, unless another one has that; empty if there is none."""
    own = module.__name__
    return own if sys.modules.get(own) is module else next((n for n, m in sys.modules.items() if m is module), "")


def _home(value: Any) -> str:
    """The module from which a library function can be imported by its name; empty if there is none."""
    name = getattr(value, "__name__", "")
    own = getattr(value, "__module__", "") or ""
    candidates = [own.partition("._")[0], own, "numpy", "scipy.special", "math"]  # a public module first
    for candidate in candidates:
        try:
            if (
                candidate
                and getattr(import_module(candidate), name, None) is value
                and candidate.split(".")[0] != "gradcli"
            ):
                return candidate
        except ImportError:
            continue
    return ""
