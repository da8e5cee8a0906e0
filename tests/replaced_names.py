"""Fixtures for tests of replaced names: a package on disk, and an empty memory of replacements."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from gradcli.engine.patching import object_exchange
from gradcli.engine.running import known_programs

Package = Callable[..., ModuleType]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """A function that writes files, given by path, and imports the first one as a module."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(**files: str) -> ModuleType:
        for name, text in files.items():
            path = tmp_path / (name.replace("__", "/") + ".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(dedent(text))
            if path.parent != tmp_path:
                (path.parent / "__init__.py").touch()
        importlib.invalidate_caches()
        return importlib.import_module(next(iter(files)).replace("__", "."))

    yield write
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Forget what earlier tests have replaced, and restore everything after the test."""
    known_programs.forget()
    yield
    assert [] == object_exchange.replaced_places()
