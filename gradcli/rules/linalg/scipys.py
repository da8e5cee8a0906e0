"""The functions of `scipy.linalg` that compute rules: imported when they are first called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from gradcli.language.special import missing


def scipys(name: str) -> Callable[..., Any]:
    """The function of `scipy.linalg` of that name.

    Raises:
        UnsupportedError: where it is called, and SciPy is not installed.
    """

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            module = import_module("scipy.linalg")
        except ImportError:
            raise missing(f"scipy.linalg.{name}") from None
        return getattr(module, name)(*arguments, **options)

    return call
