"""Where a session keeps what outlives it."""

from __future__ import annotations

import os
from collections.abc import Mapping


def history_path(environ: Mapping[str, str] = os.environ) -> str:
    """The file of earlier lines: GRADCLI_HISTORY, else `gradcli/history` in the folder for the state of programs."""
    if named := environ.get("GRADCLI_HISTORY"):
        return os.path.expanduser(named)
    folder = environ.get("XDG_STATE_HOME") or os.path.join("~", ".local", "state")
    return os.path.expanduser(os.path.join(folder, "gradcli", "history"))
