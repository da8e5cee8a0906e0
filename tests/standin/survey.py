"""Writes `functions.txt`: the functions of CuPy that share a name with one of NumPy's or SciPy's, and their parameters.

`python -m tests.standin.survey` needs CuPy, but no device.
"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

FILE = Path(__file__).with_name("functions.txt")


def lines() -> Iterator[str]:
    """A line for each function: its name below the library, and its parameters; `ufunc` where it is one."""
    import cupy
    import cupyx.scipy.special
    from scipy import special

    pairs = {"": (np, cupy), "linalg": (np.linalg, cupy.linalg), "fft": (np.fft, cupy.fft)}
    for inside, (ours, theirs) in {**pairs, "special": (special, cupyx.scipy.special)}.items():
        for name in sorted(dir(ours)):
            function = getattr(theirs, name, None)
            if not name.startswith("_") and callable(getattr(ours, name)) and is_function(function):
                yield f"{inside}.{name} {parameters(function)}".removeprefix(".")


def is_function(found: object) -> bool:
    """Whether CuPy's object of that name is a function that takes arrays."""
    return callable(found) and not isinstance(found, (type, ModuleType))


def parameters(function: object) -> str:
    """The parameters as text: `=` behind those that have a default, `*` before those that are only named."""
    import cupy

    if isinstance(function, cupy.ufunc):
        return "ufunc"
    try:
        found = inspect.signature(function).parameters.values()
    except ValueError:
        return "*"
    words, named = [], False
    for parameter in found:
        if parameter.kind is parameter.KEYWORD_ONLY and not named:
            named = True
            words.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        named = named or stars == "*"
        words.append(stars + parameter.name + ("" if parameter.default is parameter.empty else "="))
    return ", ".join(words)


if __name__ == "__main__":
    import cupy

    text = "\n".join([f"# CuPy {cupy.__version__}; written by `python -m tests.standin.survey`.", *lines(), ""])
    sys.exit(None if FILE.write_text(text, encoding="utf-8") else 1)
