"""A setting is restored however Ctrl-C interrupts the context that changed it."""

import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import gradcli
from gradcli.shared.temporary_settings import restore_abandoned, temporary_attributes


@pytest.fixture
def holder():
    return SimpleNamespace(value="before")


@contextmanager
def changed(holder, value):
    """A context made of another, as `quiet` is."""
    with temporary_attributes(holder, value=value):
        yield


def entered(holder, value, context=temporary_attributes):
    """A context that is never left, as if Ctrl-C had come before the first step of `__exit__`."""
    found = context(holder, value=value)
    found.__enter__()
    return found


def test_a_context_changes_a_setting(holder):
    with temporary_attributes(holder, value="inside"):
        assert holder.value == "inside"

    assert holder.value == "before"


@pytest.mark.parametrize("context", [temporary_attributes, changed])
def test_a_context_that_is_freed_is_left(context, holder):
    """As after a `with` statement whose `__exit__` was interrupted."""
    context(holder, value="inside").__enter__()

    assert holder.value == "before"


@pytest.mark.parametrize("context", [temporary_attributes, changed])
@pytest.mark.parametrize(
    "act",
    [
        restore_abandoned,
        lambda: entered(SimpleNamespace(value=0), 1),
        lambda: gradcli.grad(lambda x: x * x)(1.0),
    ],
    ids=["asked for", "another setting", "a gradient"],
)
def test_what_is_abandoned_is_restored(act, context, holder):
    kept = entered(holder, "inside", context)
    assert holder.value == "inside"
    act()

    assert holder.value == "before"
    del kept


@pytest.mark.parametrize("context", [temporary_attributes, changed])
def test_what_is_needed_stays(context, holder):
    """While the body of the `with` statement runs, however deep inside."""
    with context(holder, value="inside"):
        gradcli.grad(lambda x: gradcli.grad(lambda y: y * y)(x))(1.0)

        assert holder.value == "inside"


def test_an_outer_context_restores_inner_ones(holder):
    """Before itself, so that the oldest value is the last to be set."""
    with temporary_attributes(holder, value="outer"):
        kept = entered(holder, "inner")

    assert holder.value == "before"
    del kept
    assert holder.value == "before"


def test_other_threads_restore_nothing(holder):
    with temporary_attributes(holder, value="inside"):
        thread = threading.Thread(target=restore_abandoned)
        thread.start()
        thread.join()

        assert holder.value == "inside"
