"""NumPy's names, with functions that create and take arrays of recorded values: for code that cannot rely on dispatch.

`import gradcli.numpy as np` in place of `import numpy as np`.  Plain files and functions do not need it: where a
recorded value would leak, gradcli lends these names for the time of the run.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import sys

    from gradcli.patching.shims.modules import attribute, module

    return attribute(module("numpy"), name, sys._getframe(1))


def __dir__() -> list[str]:
    import numpy

    return dir(numpy)
