"""NumPy's namespace with functions that accept recorded values where NumPy's own dispatch does not reach.

Use `import gradcli.numpy as np` in place of `import numpy as np`. Most functions do not need it: where a recorded value
would otherwise be lost, gradcli patches these names for the duration of the run.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import sys

    from gradcli.engine.patching.shims.modules import attribute, module

    return attribute(module("numpy"), name, sys._getframe(1))


def __dir__() -> list[str]:
    import numpy

    return dir(numpy)
