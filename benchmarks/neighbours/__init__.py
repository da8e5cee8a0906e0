"""One adapter a tool: each names its columns and turns a program into a call that computes its gradient once.

An adapter offers `scalars(program, numbers)` for programs on separate Python numbers and `array(program, numbers)` for
programs on one array; both give a dictionary from column to call, empty where the tool cannot do it in sensible time.
`workload(work)` does the same for a program of several arrays and its data.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

OURS = "gradcli"
NEIGHBOURS = ("autograd", "torch", "jax")


def installed() -> dict[str, ModuleType]:
    """The adapters of gradcli and of every neighbour that can be imported here."""
    names = (OURS, *(name for name in NEIGHBOURS if find_spec(name)))
    return {name: import_module(f"benchmarks.neighbours.with_{name}") for name in names}
