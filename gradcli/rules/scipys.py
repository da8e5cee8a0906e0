"""The functions of SciPy that compute rules: imported when they are first called, and called on plain numbers alone."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from gradcli.arrays import Outside
from gradcli.language.special import missing


def scipys(name: str) -> Callable[..., Any]:
    """The function of SciPy's of that name, such as `linalg.expm`.

    Raises:
        UnsupportedError: where it is called, and SciPy is not installed.
    """
    module, _, last = f"scipy.{name}".rpartition(".")

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            library = import_module(module)
        except ImportError:
            raise missing(f"scipy.{name}") from None
        with Outside.enter():
            return getattr(library, last)(*arguments, **options)

    return call
