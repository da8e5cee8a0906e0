"""NumPy's floating-point errors, ignored for a while."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import copy_context
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

from gradcli.shared.temporary_settings import temporary_setting

P = ParamSpec("P")
T = TypeVar("T")


def without_float_errors(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that floating-point errors are ignored while it runs; it runs no code of the user's.

    It has a copy of the context, in which NumPy keeps what it does about errors. Nothing needs to be restored, so this
    is faster than `ignored_float_errors`.
    """

    def ignoring(*arguments: P.args, **options: P.kwargs) -> T:
        np.seterr(all="ignore")
        return function(*arguments, **options)

    @wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> T:
        return copy_context().run(ignoring, *arguments, **options)

    return run


def ignored_float_errors() -> AbstractContextManager[None]:
    """A context that ignores floating-point errors. After an interrupt, `numpy.errstate` might ignore them for good."""
    before = copy_context()
    ignoring = np.errstate(all="ignore")

    def restore() -> None:
        try:
            ignoring.__exit__(None, None, None)
        except (TypeError, RuntimeError):  # an interrupt has ended its `__enter__` or `__exit__` early
            np.seterr(**before.run(np.geterr))

    return temporary_setting(ignoring.__enter__, restore)
