"""The versions of Python and of the libraries, and the available devices."""

from __future__ import annotations

import platform
import sys

from gradcli.shared import devices
from gradcli.shared.records.environment import Environment

LIBRARIES = ("gradcli", "numpy", "sympy", "mpmath", "scipy", "cupy", "matplotlib", "click", "rich", "prompt_toolkit")
CUPY = ("cupy", "cupy-cuda13x", "cupy-cuda12x")  # the distributions of CuPy, one for each version of CUDA


def environment() -> Environment:
    """The versions and the devices. Versions come from the installation's metadata; only CuPy is imported."""
    return Environment(
        python=platform.python_version(),
        executable=sys.executable,
        system=f"{platform.system()} {platform.machine()}",
        versions={name: version(name) for name in LIBRARIES},
        devices=tuple(name for name in devices.names() if name != "gpu"),
    )


def version(library: str) -> str | None:
    """The version of a library, or None if it is not installed."""
    from importlib import metadata

    for name in CUPY if library == "cupy" else (library,):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return None
