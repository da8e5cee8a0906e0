"""Names of a package that are imported when they are first asked for."""

import sys

import pytest


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose modules say when they are imported."""
    folder = tmp_path / "lazy_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from gradcli.shared.lazy_imports import ITSELF, on_first_use\n"
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
    assert "lazy_package.one" not in sys.modules
    assert package.f() == 1
    assert vars(package)["f"] is package.one.f


def test_a_name_may_be_another_one_at_home(package):
    assert package.Short.__name__ == "Long"


def test_a_module_is_a_name_too(package):
    assert package.two.__name__ == "lazy_package.two"


def test_a_name_that_is_not_there(package):
    with pytest.raises(AttributeError, match="module 'lazy_package' has no attribute 'g'"):
        package.g
    assert not hasattr(package, "g")


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table whose rows stand in two modules."""
    (tmp_path / "lazy_rows.py").write_text(
        "from gradcli.shared.lazy_tables import LazyTable\n"
        "ROWS = LazyTable('lazy_first', 'lazy_second')\nROWS['here'] = 0\n"
    )
    (tmp_path / "lazy_first.py").write_text("from lazy_rows import ROWS\nROWS['one'] = 1\n")
    (tmp_path / "lazy_second.py").write_text("from lazy_rows import ROWS\nROWS['two'] = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    import lazy_rows

    yield lazy_rows.ROWS
    for name in ("lazy_rows", "lazy_first", "lazy_second"):
        sys.modules.pop(name, None)


def test_a_row_that_is_there_imports_nothing(table):
    assert table["here"] == 0
    assert "lazy_first" not in sys.modules
    assert table["one"] == 1
    assert "lazy_second" not in sys.modules


@pytest.mark.parametrize(
    "rows", [dict, lambda table: {**table}, lambda table: dict(table.items()), lambda table: table | {}], ids=range(4)
)
def test_all_rows(table, rows):
    """Whoever asks for all names gets them, however he asks."""
    assert rows(table) == {"here": 0, "one": 1, "two": 2}


@pytest.mark.parametrize("ask", [list, lambda table: table.keys(), sorted, set], ids=["list", "keys", "sorted", "set"])
def test_all_names(table, ask):
    assert set(ask(table)) == {"here", "one", "two"}


def test_how_many_rows(table):
    assert len(table) == 3
    assert [*table.values()] == [0, 1, 2]


def test_a_row_that_is_nowhere(table):
    assert "three" not in table
    assert (table.get("three"), table.get("three", 3)) == (None, 3)
    with pytest.raises(KeyError, match="three"):
        table["three"]
