"""The finder of modules: the same as Python's own finder gives, and never bytecode of another source."""

import os
import py_compile
import subprocess
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from importlib.util import module_from_spec
from pathlib import Path

import pytest

from gradcli.shared import module_finder

FIND = module_finder._Finder.find_spec


def value_of(folder: Path) -> object:
    """The value of `x` in a module as found in a folder."""
    spec = FIND("gradcli.some", [str(folder)])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.x


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A module with stored bytecode."""
    path = tmp_path / "some.py"
    path.write_text("x = 1\n", encoding="utf-8")
    py_compile.compile(str(path), doraise=True)
    return path


NAMES = ["gradcli.errors", "gradcli.shared", "gradcli.engine.tape.tape", "numpy.linalg", "click.core", "sympy.core.add"]


def path_of(package: str) -> list[str]:
    """The folders of a package's modules."""
    return list(import_module(package).__path__)


@pytest.mark.parametrize("name", NAMES)
def test_the_specification_is_that_of_python(name: str) -> None:
    path = path_of(name.rpartition(".")[0])
    found, expected = FIND(name, path), PathFinder.find_spec(name, path)

    assert found is not None
    assert expected is not None
    for fact in ("name", "origin", "cached", "has_location", "submodule_search_locations", "parent"):
        assert getattr(found, fact) == getattr(expected, fact)
    assert found.loader.get_source(found.name) == expected.loader.get_source(found.name)  # type: ignore[attr-defined, union-attr]


ATTRIBUTES = """
import importlib, sys
{found}
import click.globals, gradcli.errors, rich
importlib.reload(click.globals)
for module in (click.globals, gradcli.errors, rich, gradcli.shared):
    print({{name: getattr(module, name, None) for name in {names}}}, hasattr(module, "__path__"))
"""


def test_modules_have_the_attributes_that_python_gives_them() -> None:
    names = ("__name__", "__file__", "__cached__", "__path__", "__package__")

    def printed(found: str) -> str:
        run = [sys.executable, "-B", "-c", ATTRIBUTES.format(found=found, names=names)]
        return subprocess.run(run, capture_output=True, text=True, check=True).stdout

    assert printed("from gradcli.shared import module_finder; module_finder.install()") == printed(
        "import gradcli.shared"
    )


@pytest.mark.parametrize(
    ("name", "path"), [("gradcli", None), ("other.some", ["."]), ("gradcli.no_such_module", ["."])]
)
def test_all_others_are_left_to_python(name: str, path: list[str] | None) -> None:
    assert FIND(name, path) is None


def test_extensions_are_left_to_python() -> None:
    assert FIND("numpy._core._multiarray_umath", path_of("numpy._core")) is None


@pytest.mark.parametrize("package", sorted(module_finder.PACKAGES))
def test_no_name_stands_for_two_modules(package: str) -> None:
    """Python prefers a folder to an extension, and an extension to a source file."""
    files = [Path(folder, file) for folder, _, files in os.walk(path_of(package)[0]) for file in files]
    sources = {file.with_suffix("") for file in files if file.suffix == ".py"}
    others = {file.parent for file in files if file.name == "__init__.py"}
    others |= {
        file.with_name(file.name.partition(".")[0]) for file in files if file.name.endswith(tuple(EXTENSION_SUFFIXES))
    }

    assert sources & others == set()


def test_stored_bytecode_is_read(source: Path) -> None:
    """Even without the source's text, which has the time and the size of that from which it was made."""
    before = source.stat()
    source.write_text("x = 2\n", encoding="utf-8")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert value_of(source.parent) == 1


def test_bytecode_of_another_text_is_not(source: Path) -> None:
    source.write_text("x = 22\n", encoding="utf-8")

    assert value_of(source.parent) == 22


@pytest.mark.parametrize("data", [b"", b"\0" * 16, None])
def test_bytecode_that_is_none(source: Path, data: bytes | None) -> None:
    """An empty file, one of another version of Python, and no file at all."""
    stored = next((source.parent / "__pycache__").iterdir())
    stored.unlink() if data is None else stored.write_bytes(data)

    assert value_of(source.parent) == 1


def test_tracebacks_name_the_file_where_it_is_now(source: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    (source.parent / "__pycache__").rename(moved / "__pycache__")
    code = FIND("gradcli.some", [str(source.rename(moved / "some.py").parent)]).loader.get_code("gradcli.some")  # type: ignore[union-attr, attr-defined]

    assert code.co_filename == str(moved / "some.py")


@pytest.mark.parametrize("options", [["-O"], ["-X", "pycache_prefix=elsewhere"]])
def test_where_bytecode_is_stored_elsewhere_nothing_is_installed(options: list[str]) -> None:
    code = "import sys; from gradcli.shared import module_finder as m; m.install(); print(m._Finder in sys.meta_path)"
    run = [sys.executable, *options, "-B", "-c", code]

    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "False\n"
