"""`python -m benchmarks`: measure the rows, print them, and with `--check` fail on a missed ratio."""

from __future__ import annotations

import argparse
import json
import platform
import sys

from benchmarks import on_gpu
from benchmarks.neighbours import NEIGHBOURS, installed
from benchmarks.report import Result, judged
from benchmarks.row import Effort
from benchmarks.rows import GPU_ROWS, ROWS
from gradcli.shared import devices


def main(arguments: list[str] | None = None) -> int:
    """Run the requested rows; returns 1 if `--check` is given and a machine-independent target is missed."""
    options = parser().parse_args(arguments)
    adapters = {} if options.gpu else installed()
    effort = Effort(adapters, 1, 1e-3, 0.01) if options.quick else Effort(adapters, options.repeats)
    results = []
    if not options.json:
        print(heading_of_gpu() if options.gpu else heading(list(adapters)), end="\n\n")
    chosen = GPU_ROWS if options.gpu else ROWS
    for row in [row for row in (*ROWS, *GPU_ROWS) if row.name == options.only] if options.only else chosen:
        if (reason := row.why_not()) is not None:
            print(f"{row.name}: skipped: {reason}", end="\n\n", file=sys.stderr)
            continue
        results.append(judged(row, row.measure(effort)))
        if not options.json:
            print("\n".join(results[-1].lines()), flush=True)
    if options.json:
        print(as_json(results))
    return int(options.check and any(result.missed for result in results))


def parser() -> argparse.ArgumentParser:
    """The command-line options."""
    build = argparse.ArgumentParser(prog="python -m benchmarks", description=sys.modules["benchmarks"].__doc__)
    build.add_argument("--only", choices=[row.name for row in (*ROWS, *GPU_ROWS)], help="measure this row alone")
    build.add_argument("--repeats", type=int, default=9, help="medians are over so many (default: 9)")
    build.add_argument("--quick", action="store_true", help="tiny programs, one repeat: shows that it runs, no more")
    build.add_argument("--gpu", action="store_true", help="measure the rows on a GPU instead, in at most five minutes")
    build.add_argument("--json", action="store_true", help="print data")
    build.add_argument("--check", action="store_true", help="exit with 1 where a ratio is missed (never for a time)")
    return build


def heading(adapters: list[str]) -> str:
    """The machine and the libraries that are measured."""
    absent = [name for name in NEIGHBOURS if name not in adapters]
    missing = f" (not installed: {', '.join(absent)})" if absent else ""
    return f"Python {platform.python_version()}, {platform.machine()}; {', '.join(adapters)}{missing}"


def heading_of_gpu() -> str:
    """The card that is measured, if there is one."""
    return f"Python {platform.python_version()}; {gpu_name() or 'no GPU'}"


def gpu_name() -> str:
    """The card and the version of CuPy, such as `NVIDIA L4, CuPy 14.2.0`; empty if there is none."""
    if on_gpu.why_not():
        return ""
    cupy = devices.library()
    properties = cupy.cuda.runtime.getDeviceProperties(devices.device("gpu").number or 0)
    return f"{bytes(properties['name']).decode()}, CuPy {cupy.__version__}"


def as_json(results: list[Result]) -> str:
    """All results as one JSON object."""
    rows = [result.as_json() for result in results]
    python = platform.python_version()
    data = {"schema": "gradcli-benchmarks/1", "python": python, "gpu": gpu_name(), "rows": rows}
    return json.dumps(data, indent=2, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
