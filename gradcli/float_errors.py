"""NumPy's floating-point errors, ignored for a while."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import copy_context

import numpy as np

from gradcli.temporary_settings import temporary_setting


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
