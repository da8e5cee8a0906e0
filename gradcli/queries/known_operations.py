"""The operations that gradcli supports, by family."""

from __future__ import annotations

from collections.abc import Iterator

Family = tuple[str, list[str]]

LIBRARIES = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.emath", "scipy.fft", "scipy.linalg", "scipy.ndimage", "scipy.signal",
    "scipy.spatial.distance", "scipy.special",
)  # fmt: skip


def operations() -> list[Family]:
    """The supported operations, by family: with a rule, composed of rules, or with derivative zero."""
    return [(title, sorted(names)) for title, names in _families() if names]


def _families() -> Iterator[Family]:
    from gradcli.mathematics.language import special_functions, vocabulary
    from gradcli.mathematics.rules import RULES, function_registry, nondifferentiable
    from gradcli.mathematics.rules.rule_types import Elementwise

    function_registry.FUNCTIONS.complete()
    users = [name for name, rule in RULES.items() if isinstance(rule, Elementwise) and _is_users(name)]
    known = vocabulary.ARRAY_WORDS | RULES.keys()
    yield "words of formulas", [name for name in (*vocabulary.PRIMITIVES, *vocabulary.BY_FORMULA) if name in known]
    yield "words of formulas, with SciPy", list(special_functions.WORDS)
    yield "rules of your own", users
    yield "numpy: ufuncs", _ufuncs()
    for library in LIBRARIES:
        served = (name.rpartition(".") for name in function_registry.FUNCTIONS if _library(name) == library)
        yield library, [name for *_, name in served]
    yield "scipy.special: ufuncs", _of_scipy()
    for module, names in function_registry.FOLLOWED.items():
        yield f"{module}: its own code, followed", list(names)
    yield "scipy: solvers and integrals, by what they solve", sorted(function_registry.SOLVERS)
    yield "plain results, with derivative zero", list(nondifferentiable.NUMPY)


def _is_users(name: str) -> bool:
    from gradcli.answers import custom_elementwise_rules

    return name in custom_elementwise_rules._added


def _ufuncs() -> list[str]:
    """The NumPy ufuncs that have a rule or a function."""
    import numpy as np

    from gradcli.mathematics.rules.numpy import ufuncs

    names = (name for name in dir(np) if isinstance(getattr(np, name), np.ufunc))
    return [name for name in names if ufuncs.ufunc_rule(name) is not None or ufuncs.ufunc_function(name) is not None]


def _of_scipy() -> list[str]:
    from gradcli.mathematics.rules import RULES
    from gradcli.mathematics.rules.rule_types import Elementwise

    rows = (rule.special for rule in RULES.values() if isinstance(rule, Elementwise) and rule.special)
    return sorted({name.partition(":")[0].lstrip("_") for name in rows} | {"erf", "erfc", "gamma", "gammaln", "psi"})


def _library(name: str) -> str:
    """The library module to which a function name belongs."""
    inner = name.rpartition(".")[0]
    return inner if inner.startswith("scipy") else ".".join(filter(None, ("numpy", inner)))


def functions() -> dict[str, str]:
    """The functions of the formula language with their signatures; imports nothing heavy."""
    from gradcli.mathematics.language.vocabulary import FUNCTIONS, OPERATORS

    signatures = {name: signature(*arity) for name, arity in FUNCTIONS.items() if name not in OPERATORS}
    spoken = {"max": "(x, y, ...)", "min": "(x, y, ...)", "where": "(condition, x, y)", "clip": "(x, low, high)"}
    return dict(sorted({**signatures, **spoken}.items()))


def prompt_functions() -> dict[str, str]:
    """The functions of formulas at the prompt with their signatures: also those of NumPy and SciPy, `norm(...)`."""
    from gradcli.answers.targets import array_functions

    return {**dict.fromkeys(array_functions.WORDS, "(...)"), **functions()}


def signature(least: int, most: int) -> str:
    """The arguments of a function, given the least and greatest number of them: `(x, y)`, `(x[, y])`."""
    names = ("x", "y", "z", "w")
    needed, further = ", ".join(names[:least]), ", ".join(names[least:most])
    return f"({needed}{f'[, {further}]' if further else ''})"
