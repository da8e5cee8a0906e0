"""A derived Python program with Numba's decorator on each function."""

from __future__ import annotations

IMPORT = "import numba"
DECORATOR = "@numba.njit"
STANDARD = ("import math", "import statistics")


def decorated(text: str) -> str:
    """The same file, compiled by Numba when its functions are first called."""
    lines = text.split("\n")
    imports = [n for n, line in enumerate(lines) if line.startswith(("import ", "from "))]
    others = [n for n in imports if lines[n] not in STANDARD]
    if others:
        lines.insert(others[0], IMPORT)
    elif imports:
        lines[imports[-1] + 1 : imports[-1] + 1] = ["", IMPORT]
    else:
        lines[2:2] = [IMPORT, ""]
    return "\n".join(f"{DECORATOR}\n{line}" if line.startswith("def ") else line for line in lines)
