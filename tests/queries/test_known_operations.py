"""The list of operations is complete: it is made from the tables."""

from importlib import import_module

import numpy as np

from gradcli import queries
from gradcli.mathematics.language import vocabulary
from gradcli.mathematics.rules import RULES
from gradcli.mathematics.rules.function_registry import FUNCTIONS, INNER
from gradcli.mathematics.rules.nondifferentiable import NUMPY
from gradcli.mathematics.rules.numpy.ufuncs import ufunc_rule


def test_families():
    found = queries.operations()
    titles = [title for title, _ in found]

    assert len(set(titles)) == len(titles)
    assert all(names == sorted(set(names)) for _, names in found)
    assert {"sin", "where", "logaddexp"} <= set(dict(found)["words of formulas"])


def test_every_served_function_is_listed():
    families = queries.operations()
    libraries = {
        name: import_module(name) for name in ("numpy", "scipy.fft", "scipy.linalg", "scipy.signal", "scipy.special")
    }
    listed = {(title.partition(":")[0], name) for title, names in families for name in names}

    for name in FUNCTIONS:
        library, _, last = name.rpartition(".")
        library = library if library.startswith("scipy") else ".".join(filter(None, ("numpy", library)))
        if library in INNER:
            continue
        assert (library, last) in listed
        module = libraries.get(library)
        assert module is None or hasattr(module, last) or last in ("as_strided", "sliding_window_view")


def test_every_row_and_fact_is_listed():
    everything = {name for _, names in queries.operations() for name in names}

    assert set(vocabulary.FUNCTIONS) & set(RULES) <= everything
    assert set(NUMPY) <= everything
    assert {name for name in dir(np) if isinstance(getattr(np, name), np.ufunc) and ufunc_rule(name)} <= everything
