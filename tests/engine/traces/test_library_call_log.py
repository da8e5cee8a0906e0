"""Which calls of functions of libraries a run has made, and with which rows."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gradcli.engine.traces.library_call_log import LibraryCall, QuantityName
from gradcli.engine.traces.trace import record_trace

LIBRARY = """
def doubled(x):
    return x + x

def applied(f, x):
    return f(x)

def between(f, x):
    return f(x * 2.0) * 3.0

def failing(x):
    y = x * x
    raise ValueError

def items(x):
    for n in range(3):
        yield x * n
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A module as if it were installed."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "some_library.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder))
    import importlib

    yield importlib.import_module("some_library")
    sys.modules.pop("some_library")


def calls(function: Callable[..., Any]) -> list[LibraryCall]:
    watch = record_trace(function, (3.0,), names=True)._watch
    assert watch is not None
    return watch.library_calls.calls


def rows(function: Callable[..., Any]) -> list[tuple[int, int]]:
    """From which to which row each call goes."""
    return [(call.before.rows, call.after.rows) for call in calls(function)]


def test_a_call_has_its_rows(library: ModuleType) -> None:
    assert rows(lambda x: library.doubled(x * 2.0) + 1.0) == [(2, 3)]


def test_functions_of_the_users_are_a_part_of_it(library: ModuleType) -> None:
    assert rows(lambda x: library.between(lambda y: y * y, x)) == [(1, 4)]


def test_what_only_hands_on_is_no_call(library: ModuleType) -> None:
    assert rows(lambda x: library.applied(lambda y: y * y, x)) == []


def test_a_call_within_what_only_hands_on(library: ModuleType) -> None:
    """A function of the user's, called by a library that records nothing, calls one that does."""
    assert rows(lambda x: library.applied(lambda y: library.doubled(y * y), x)) == [(2, 3)]


def test_a_call_within_a_call(library: ModuleType) -> None:
    assert rows(lambda x: library.between(library.doubled, x)) == [(1, 4)]
    assert rows(lambda x: library.between(lambda y: library.doubled(y), x)) == [(1, 4)]


def test_a_call_that_raises(library: ModuleType) -> None:

    def caught(x: Any) -> Any:
        try:
            library.failing(x)
        except ValueError:
            return x * 5.0

    assert rows(caught) == [(1, 2)]


def test_a_generator(library: ModuleType) -> None:
    assert rows(lambda x: sum(2.0 * item for item in library.items(x))) == [(1, 2), (4, 5), (7, 8)]


def test_the_text_of_a_call(library: ModuleType) -> None:
    """As the user wrote it, with the names of quantities told apart; a long one without its arguments."""

    def run(x: Any) -> Any:
        y = x * 2.0
        return library.doubled(y) + library.between(
            lambda first_name, second_name=1.0: first_name * second_name * second_name, y
        )

    assert [("library.doubled(", QuantityName("y", 1), ")"), ("library.between(…)",)] == [
        call.text for call in calls(run)
    ]


def test_a_call_without_a_source(library: ModuleType) -> None:
    scope: dict[str, Any] = {"library": library}
    exec("def run(x): return library.doubled(x)", scope)

    assert [call.text for call in calls(scope["run"])] == [("some_library.doubled(…)",)]
