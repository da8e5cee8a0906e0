"""Configuration of all tests: selection, a terminal of 80 columns, and reproducible random examples."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import settings

# The matrices are small, so that threads would wait for each other; NumPy reads this setting when it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The tests start hundreds of processes, each of which would compile all of gradcli anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Rows are compiled on first use, so the first example of a test may be slow: no deadline.
settings.register_profile("everyday", max_examples=20, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=500, deadline=None, derandomize=True)

TERMINAL = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "TERM")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--long`, which also runs the tests that take minutes."""
    parser.addoption("--long", action="store_true", help="run the tests marked long too: the full fuzz and corpus")


def pytest_configure(config: pytest.Config) -> None:
    """Give property tests more examples under `--long`."""
    settings.load_profile("long" if config.getoption("--long") else "everyday")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect long tests unless requested, and skip GPU tests, with the reason, where they cannot run."""
    leave_to_the_long_tests(items)
    if not config.getoption("--long"):
        leave_out(config, items, "long")
    on_devices = [item for item in items if item.get_closest_marker("gpu")]
    if on_devices and (reason := why_no_gpu()):
        skip(on_devices, reason)


def leave_to_the_long_tests(items: list[pytest.Item]) -> None:
    """Leave all but every n-th case of a test marked `sampled(n)` to the long tests."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") and item.get_closest_marker("long") is None:
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        (count,) = cases[0].get_closest_marker("sampled").args
        for place, item in enumerate(cases):
            if len(cases) > count and place % count:
                item.add_marker(pytest.mark.long)


def leave_out(config: pytest.Config, items: list[pytest.Item], marker: str) -> None:
    """Deselect the items with a marker, which is far cheaper than skipping thousands."""
    kept, left_out = [], []
    for item in items:
        (left_out if item.get_closest_marker(marker) else kept).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def skip(items: list[pytest.Item], reason: str) -> None:
    """Skip the items."""
    for item in items:
        item.add_marker(pytest.mark.skip(reason=reason))


def why_no_gpu() -> str | None:
    """The reason why the tests on a device cannot run here, or None."""
    try:
        import cupy
    except ImportError:
        return "CuPy is not installed"
    try:
        return None if cupy.cuda.runtime.getDeviceCount() else "no device"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"no device: {error}"


@pytest.fixture(scope="session", autouse=True)
def terminal() -> Iterator[None]:
    """A terminal 80 columns wide without environment settings, whatever the real one is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        for name in TERMINAL:
            patch.delenv(name, raising=False)
        yield
