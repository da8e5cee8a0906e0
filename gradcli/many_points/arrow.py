"""pyarrow, for files of Parquet."""

from __future__ import annotations

from typing import Any

from gradcli.errors import UsageError


def arrow() -> tuple[Any, Any]:
    """The modules `pyarrow` and `pyarrow.parquet`.

    Raises:
        UsageError: pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("A .parquet file needs pyarrow.", hint="pip install pyarrow, or name a .npy file.") from None
    return pyarrow, pyarrow.parquet
