"""One adapter per library: each one turns a program into calls that compute its gradient once, by column.

An adapter has `scalars(program, numbers)` for programs on separate Python numbers and `array(program, numbers)` for
programs on one array. Both return a dictionary from column to call, which is empty if the library would take too long.
`workload(work)` does the same for a program of several arrays with data.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

OURS = "gradcli"
NEIGHBOURS = ("autograd", "torch", "jax")


def installed() -> dict[str, ModuleType]:
    """The adapters of gradcli and of every other library that is installed."""
    names = (OURS, *(name for name in NEIGHBOURS if find_spec(name)))
    return {name: import_module(f"benchmarks.neighbours.with_{name}") for name in names}
