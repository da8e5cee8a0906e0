"""Adapters that other packages register by an entry point."""

import sys
from importlib import metadata

import pytest

import gradcli
from gradcli import errors
from gradcli.methods.adapters import adapter_table
from tests.methods.adapters import dual

RIGHT = dual.DualFunction(lambda x: dual.sin(x * x) + x)
WRONG = dual.DualFunction(lambda x: dual.wrong_sin(x * x) + x)


def register(monkeypatch, entry):
    """Register one adapter of the library `dual` for a test."""
    point = metadata.EntryPoint("dual", entry, adapter_table.GROUP)
    monkeypatch.setattr(adapter_table, "_registered", lambda: {"dual": point})
    monkeypatch.setitem(sys.modules, "dual", dual)


@pytest.fixture
def registered(monkeypatch):
    register(monkeypatch, "tests.methods.adapters.dual:adapted")


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(("function", "verdict"), [(RIGHT, "pass"), (WRONG, "fail")])
def test_a_foreign_object_is_judged_by_its_own_derivative(function, verdict):
    assert gradcli.check(function, at=0.7).verdict == verdict


@pytest.mark.usefixtures("registered")
def test_a_named_gradient_takes_the_place_of_the_objects_own():
    assert gradcli.check(RIGHT, at=0.7, against=lambda x: 0.0).verdict == "fail"


@pytest.mark.usefixtures("registered")
def test_assert_grad_takes_a_foreign_object():
    gradcli.assert_grad(RIGHT, at=0.7)
    with pytest.raises(AssertionError, match="fail at"):
        gradcli.assert_grad(WRONG, at=0.7)


@pytest.mark.usefixtures("registered")
def test_a_derivative_that_the_object_does_not_bring_is_gradclis_own():
    comparison = gradcli.check(RIGHT, at=0.7, of="hessian")
    assert comparison.verdict == "unchecked"


def test_without_its_library_no_adapter_is_loaded(monkeypatch):
    register(monkeypatch, "missing:adapted")
    monkeypatch.delitem(sys.modules, "dual")
    with pytest.raises(errors.UsageError, match="is not a function"):
        gradcli.check(RIGHT, at=0.7)


def test_an_adapter_that_cannot_be_loaded_is_named(monkeypatch):
    register(monkeypatch, "missing_package:adapted")
    with pytest.raises(errors.UsageError, match="The adapter missing_package:adapted of dual cannot be loaded"):
        gradcli.check(RIGHT, at=0.7)


def test_entry_points_of_installed_packages_are_read(monkeypatch, tmp_path):
    folder = tmp_path / "dual-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: dual\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[gradcli.adapters]\ndual = tests.methods.adapters.dual:adapted\n")
    monkeypatch.syspath_prepend(tmp_path)
    adapter_table._registered.cache_clear()
    try:
        assert adapter_table._registered()["dual"].load() is dual.adapted
    finally:
        adapter_table._registered.cache_clear()
