"""Configuration of all tests: selection, a terminal of 80 columns, and reproducible random examples."""

import gc
import os
import re
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# The matrices are small, so that threads would wait for each other; NumPy reads this setting when it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The tests start hundreds of processes, each of which would compile all of gradcli anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Rows are compiled on first use, so the first example of a test may be slow: no deadline.
settings.register_profile("everyday", max_examples=20, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=300, deadline=None, derandomize=True)

HAS_LONG = re.compile(r"mark\.(long|sampled)\b")
TERMINAL = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "TERM")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--long`, which also runs the tests that take minutes."""
    parser.addoption("--long", action="store_true", help="run the tests marked long too: the full fuzz and corpus")


def pytest_configure(config: pytest.Config) -> None:
    """Take all cases, and more examples of property tests, under `--long`."""
    settings.load_profile("long" if config.getoption("--long") else "everyday")
    gc.disable()  # what is imported and collected stays


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests on devices, with the reason, where they cannot run."""
    on_devices = [item for item in items if item.get_closest_marker("gpu")]
    if on_devices and (reason := why_no_gpu()):
        skip(on_devices, reason)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files without long tests where only long tests are run."""
    is_left_out = config.getoption("markexpr") == "long" and collection_path.suffix == ".py"
    return True if is_left_out and not HAS_LONG.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_finish() -> None:
    """Look for garbage from now on, among new objects only: a look at the million others takes as long as ten tests."""
    gc.freeze()
    gc.set_threshold(10_000, 50, 100)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Make no items of a test marked `long` as a whole unless requested."""
    marks = getattr(obj, "pytestmark", ())
    is_long = isinstance(marks, list) and any(mark.name == "long" for mark in marks)
    return [] if is_long and not collector.config.getoption("--long") else None


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Leave cases to the long tests, before items are made of them.

    Of a test marked `sampled(n)` every n-th case runs every day; with `sampled(n, each="name")` also the first case of
    each value of the parameter `name`.
    """
    yield
    sampled = metafunc.definition.get_closest_marker("sampled")
    daily = [case for case in metafunc._calls if not any(mark.name == "long" for mark in case.marks)]
    if sampled is not None:
        first = {case.params[name]: case for case in reversed(daily) for name in sampled.kwargs.values()}
        daily = [*daily[:: sampled.args[0]], *first.values()]
    kept = set(map(id, daily))
    if metafunc.config.getoption("--long"):
        for case in metafunc._calls:
            if id(case) not in kept:
                case.marks.append(pytest.mark.long.mark)
        # Items cost as much as short tests, and `-m long` would drop the daily ones.
        if metafunc.config.getoption("markexpr") == "long" and not metafunc.definition.get_closest_marker("long"):
            metafunc._calls = [case for case in metafunc._calls if id(case) not in kept]
    elif metafunc._calls:
        metafunc._calls = [case for case in metafunc._calls if id(case) in kept]


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
def terminal() -> Generator[None]:
    """A terminal 80 columns wide without environment settings, whatever the real one is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        for name in TERMINAL:
            patch.delenv(name, raising=False)
        yield
