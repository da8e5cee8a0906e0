"""SciPy for the rules: imported on the first call, and called on plain numbers only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from gradcli.mathematics.language.special_functions import missing_scipy_error
from gradcli.run_stack import suspended


class DeferredLibrary:
    """A library, module or function, by its full name. Its attributes are its contents."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> DeferredLibrary:
        if name.startswith("__"):
            raise AttributeError(name)
        inner = self.__dict__[name] = DeferredLibrary(f"{self._name}.{name}")
        return inner

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function.

        Raises:
            UnsupportedError: SciPy is not installed.
            TypeError: an argument is an array of objects, such as decimals, which SciPy would round to float64 or not
                take, depending on the function and its release.
        """
        module, _, name = self._name.rpartition(".")
        try:
            library = import_module(module)
        except ImportError:
            raise missing_scipy_error(self._name) from None
        if any(isinstance(x, np.ndarray) and x.dtype.hasobject for x in arguments):
            raise TypeError(f"{self._name} takes no array of objects")
        with suspended():
            return getattr(library, name)(*arguments, **options)


SCIPY = DeferredLibrary("scipy")
