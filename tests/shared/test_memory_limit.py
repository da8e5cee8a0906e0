"""The memory that a run may take."""

import gc
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from gradcli import queries
from gradcli.errors import Exit, LongTapeError
from gradcli.shared import memory_limit

resource = pytest.importorskip("resource", reason="the memory of a process has no limit here")

LONG = """\
def f(x):
    for _ in range(5_000_000):
        x = x * 1.0000001
    return x
"""

GIB = 1024**3

# A signal that comes while a finalizer runs raises there, and Python goes on; then the next one stops the run.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def full(monkeypatch):
    """A machine whose memory is used up from now on."""
    if not memory_limit.limit._listens():
        pytest.skip("this system does not tell")
    monkeypatch.setattr(memory_limit, "PAUSE", 0.01)
    monkeypatch.setattr(memory_limit, "AGAIN", 0.1)
    monkeypatch.setattr(memory_limit, "is_nearly_out", lambda: True)


@pytest.mark.parametrize("ask", [queries.gradient, queries.jacobian, queries.tape, queries.explain])
def test_a_loop_that_records_without_end_is_stopped(ask, full, tmp_path):
    """At its line, with how far it came and what to do, instead of the machine."""
    path = tmp_path / "long.py"
    path.write_text(LONG)
    with pytest.raises(LongTapeError) as raised:
        ask(f"{path}:f", "2")

    error = raised.value
    assert (str(path), True) == (error.file, error.line in (2, 3))
    assert (Exit.USER_CODE, "G909") == (error.exit, error.code)
    assert error.message.startswith("out of memory after ")
    assert error.message.endswith(" GB")
    assert "Check that the loop at this line ends" in error.hint


def test_it_can_be_stopped_again(full, tmp_path):
    """The session goes on, and so does the limit."""
    path = tmp_path / "long.py"
    path.write_text(LONG)
    for _ in range(3):
        with pytest.raises(LongTapeError):
            queries.gradient(f"{path}:f", "2")


def test_what_comes_too_late_hits_nothing(full):
    """A run that has ended is left alone, and so is all that follows."""
    stopped = 0
    for _ in range(20):
        try:
            with memory_limit.limit.enforced():
                time.sleep(0.005)
        except MemoryError:
            stopped += 1
    time.sleep(0.05)

    assert memory_limit.limit._depth == 0
    assert stopped < 20


def test_freed_memory_is_no_reason(full, monkeypatch):
    asked = []

    def too_much():
        asked.append(threading.current_thread())
        return len(asked) == 1

    monkeypatch.setattr(memory_limit, "is_nearly_out", too_much)
    with memory_limit.limit.enforced():
        end = time.monotonic() + 10
        while len(asked) < 2 and time.monotonic() < end:
            time.sleep(0.001)

    assert threading.main_thread() is asked[1]


def test_another_thread_is_left_alone(full):
    done = []

    def run():
        with memory_limit.limit.enforced():
            done.append(memory_limit.limit._depth)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

    assert done == [0]


def test_a_program_that_has_the_signal_keeps_it(full):
    came = []
    before = signal.signal(memory_limit.SIGNAL, lambda *_: came.append(None))
    try:
        with memory_limit.limit.enforced():
            time.sleep(0.05)
        assert memory_limit.limit._depth == 0
    finally:
        signal.signal(memory_limit.SIGNAL, before)

    assert came == []


@pytest.mark.parametrize(
    ("expected", "mine", "whole"),
    [(True, 5, (10, 0.9)), (False, 5, (10, 1.1)), (False, 2, (10, 0.1)), (False, None, (10, 0.1)), (False, 5, None)],
)
def test_what_is_too_much(expected, mine, whole, monkeypatch):
    """Little is left of what there is, and this process has much of it."""
    monkeypatch.setattr(memory_limit, "resident_memory", lambda: mine)
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: whole)

    assert memory_limit.is_nearly_out() is expected


def test_what_this_machine_tells():
    """A process of some megabytes, on a machine that has more."""
    mine, found = memory_limit.resident_memory(), memory_limit.machine_memory()
    if mine is None or found is None:
        pytest.skip("this system does not tell")

    assert 10 * 1024**2 < mine < found[0]
    assert 0 < found[1] <= found[0]


@pytest.mark.parametrize(
    ("limit", "expected"), [("max", (8, 3)), (str(2 * GIB), (2, 1)), (str(16 * GIB), (8, 3)), ("", (8, 3))]
)
def test_a_container_has_less(limit, expected, tmp_path, monkeypatch):
    """Its limit counts, whether it is the outermost group that is seen or one further in."""
    files = {"meminfo": f"MemTotal: {8 * GIB // 1024} kB\nMemAvailable:   {3 * GIB // 1024} kB\n", "group": "0::/a/b\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(memory_limit, "resident_memory", lambda: GIB)
    monkeypatch.setattr(memory_limit, "MACHINE", str(tmp_path / "meminfo"))
    monkeypatch.setattr(memory_limit, "GROUPS", str(tmp_path / "group"))
    monkeypatch.setattr(memory_limit, "LIMITS", ((str(tmp_path), "memory.max"),))
    for folder in (tmp_path, tmp_path / "a" / "b"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.max").write_text(f"{limit}\n")
        assert tuple(amount * GIB for amount in expected) == memory_limit.machine_memory()
        Path(folder / "memory.max").unlink()


def test_a_part_of_memory():
    """A large allocation raises within, and the limit of the process is as before."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError), memory_limit.a_part_of_memory():
        np.ones(memory_limit.machine_memory()[1] // 8)
    with memory_limit.a_part_of_memory():
        assert np.ones(1000).nbytes == 8000

    assert before == resource.getrlimit(resource.RLIMIT_AS)


def test_what_a_run_holds_after_a_long_collection_is_exempt_until_the_next_run(monkeypatch):
    """From the collector: each pass over a long tape takes seconds, in which Ctrl-C is not heard."""
    if not memory_limit.limit._listens():
        pytest.skip("this system does not tell")
    monkeypatch.setattr(memory_limit, "PAUSE", 0.01)
    monkeypatch.setattr(memory_limit, "LONG", 0.0)
    gc.unfreeze()
    end = time.monotonic() + 20.0
    with memory_limit.limit.enforced():
        while not gc.get_freeze_count() and time.monotonic() < end:
            gc.collect()
        exempt = gc.get_freeze_count()
    with memory_limit.limit.enforced():
        again = gc.get_freeze_count()

    assert (exempt > 0, again) == (True, 0)
