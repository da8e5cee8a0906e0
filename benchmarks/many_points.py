"""`python -m benchmarks.many_points`: f4 at a million points on two workers, beside a plain loop and `jax.vmap`.

The rates are points a second, without the start of Python and of the workers. `--check` exits with 1 if writing `.npy`
takes more than twice as long as a plain loop over the derived program on as many processors, if fewer than 50,000 rows
a second are written as JSON lines, or if four times as many points take 50 MB more.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gradcli
from benchmarks.programs import f4
from benchmarks.timing import ROOT
from gradcli.many_points.executors import dask_client

COUNT, WORKERS = 1_000_000, 2
SHARE, LEAST, FLAT = 0.5, 50_000, 50.0  # of the plain loop, rows a second, MB
TARGET = f"{ROOT / 'examples' / 'hyperbox.py'}:f4"


def rate(run: Callable[[], Any], count: int) -> float:
    """Calls a second."""
    begin = time.perf_counter()
    run()
    return count / (time.perf_counter() - begin)


def plain_loop(points: Any) -> float:
    """The rate of a loop over the derived program in Python."""
    program = gradcli.derive(f4, at=points[0], value=True).function
    some = points[:100_000]
    return rate(lambda: [program(point) for point in some], len(some))


def of_jax(points: Any) -> float | None:
    """The rate of `jax.vmap` of the value and the gradient, compiled before; None without JAX."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    mapped = jax.jit(jax.vmap(jax.value_and_grad(f4)))
    run = lambda: jax.block_until_ready(mapped(points))  # noqa: E731
    run()
    return rate(run, len(points))


def written(points: Any, folder: Path, ending: str, client: Any) -> tuple[float, float]:
    """The rate of a run on the workers, and the largest memory of this process and of them in MB."""
    np.save(folder / "points.npy", points)
    out = folder / f"rows-{len(points)}{ending}"
    rate_of_run = rate(lambda: gradcli.evaluate_points(TARGET, folder / "points.npy", out, client=client), len(points))
    assert len(np.load(out, mmap_mode="r") if ending == ".npy" else out.read_bytes().splitlines()) == len(points)
    return rate_of_run, max(memory(), *client.run(memory).values())


def memory() -> float:
    """The memory of this process in MB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def main(arguments: list[str]) -> int:
    """Measure and print all of it."""
    points = np.random.default_rng(0).uniform(1.0, 2.0, (COUNT, 4))
    loop = plain_loop(points)
    print(f"a plain loop over the derived program {loop:12,.0f} points a second")
    rates, growth = {}, {}
    with dask_client(WORKERS) as client, tempfile.TemporaryDirectory() as folder:
        for ending in (".npy", ".jsonl"):
            _, before = written(points[: COUNT // 4], Path(folder), ending, client)
            rates[ending], after = written(points, Path(folder), ending, client)
            growth[ending] = after - before
            print(f"{f'{WORKERS} workers, rows{ending}':37} {rates[ending]:12,.0f}, {after:.0f} MB, "
                  f"{growth[ending]:+.0f} MB since a quarter of the points")  # fmt: skip
    mapped = of_jax(points)
    print(f"jax.vmap, compiled                    {mapped:12,.0f}" if mapped else "jax.vmap: JAX is not installed")
    missed = [
        f"{what}: {number:,.0f} where {needed:,.0f} are needed"
        for what, number, needed in (
            (".npy", rates[".npy"], SHARE * WORKERS * loop),
            (".jsonl", rates[".jsonl"], LEAST),
            ("memory", FLAT, max(growth.values())),
        )
        if number < needed
    ]
    print(*missed, sep="\n", end="\n" if missed else "")
    return int("--check" in arguments and bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
