"""Names of a package that are imported when they are first asked for."""

import sys

import pytest


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose modules say when they are imported."""
    folder = tmp_path / "lazy_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from gradcli.lazy_imports import ITSELF, on_first_use\n"
        "__getattr__ = on_first_use(__name__, {'f': 'one', 'Short': 'one:Long', 'two': ITSELF})\n"
    )
    (folder / "one.py").write_text("class Long: pass\ndef f(): return 1\n")
    (folder / "two.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    import lazy_package

    yield lazy_package
    for name in ("lazy_package", "lazy_package.one", "lazy_package.two"):
        sys.modules.pop(name, None)


def test_a_name_is_imported_when_it_is_asked_for(package):
    """Once: from then on it is the package's own."""
    assert "lazy_package.one" not in sys.modules
    assert 1 == package.f()
    assert vars(package)["f"] is package.one.f


def test_a_name_may_be_another_one_at_home(package):
    """Under which it is known there."""
    assert "Long" == package.Short.__name__


def test_a_module_is_a_name_too(package):
    """It is itself."""
    assert "lazy_package.two" == package.two.__name__


def test_a_name_that_is_not_there(package):
    """Python's own error."""
    with pytest.raises(AttributeError, match="module 'lazy_package' has no attribute 'g'"):
        package.g
    assert not hasattr(package, "g")
