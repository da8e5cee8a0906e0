"""A finder of the modules of gradcli and its libraries, which looks where a module's name says that it is.

Python's own finder searches: it lists every folder, tries each suffix of an extension, and reads a file in six calls of
the system. At the start of a command that takes a fourth of the time of gradcli's imports.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from _frozen_importlib import BuiltinImporter, ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType


# Packages in which no extension has the name of a source file beside it, as Python prefers the extension.
PACKAGES = frozenset(("gradcli", "click", "numpy", "rich", "sympy", "mpmath", "prompt_toolkit"))


class _Loader(SourceFileLoader):
    """Reads the bytecode that Python has stored, if it is that of the present source file."""

    def __init__(self, name: str, path: str, stored: str, source: os.stat_result) -> None:
        super().__init__(name, path)
        self._stored = stored
        numbers = [0, int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF]
        self._header = MAGIC_NUMBER + b"".join([number.to_bytes(4, "little") for number in numbers])

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module with the attributes that Python looks for before it sets them; missing one takes a microsecond."""
        module = type(sys)(spec.name)
        vars(module).update(__file__=spec.origin, __cached__=spec.cached, __path__=spec.submodule_search_locations)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run the code of the module. Only a package keeps the attribute `__path__`."""
        if vars(module).get("__path__", self) is None:
            del module.__path__
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            with open(self._stored, "rb", buffering=0) as file:
                data = file.readall()
        except OSError:
            return super().get_code(fullname)
        if not data.startswith(self._header):
            return super().get_code(fullname)
        code: CodeType = marshal.loads(memoryview(data)[len(self._header) :])
        _imp._fix_co_filename(code, self.path)  # type: ignore[attr-defined]
        return code


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """The module, if it is one of `PACKAGES` in a file of its name; None leaves it to Python's finders."""
        own = name.rpartition(".")[2]
        if path is None or name.partition(".")[0] not in PACKAGES:
            return None
        for stem, folder in ((own, path[0]), ("__init__", f"{path[0]}/{own}")):
            file, stored = f"{folder}/{stem}.py", f"{folder}/__pycache__/{stem}.{sys.implementation.cache_tag}.pyc"
            try:
                loader = _Loader(name, file, stored, os.stat(file))
            except OSError:
                continue
            spec = ModuleSpec(name, loader, origin=file)
            spec.cached, spec.has_location = stored, True
            spec.submodule_search_locations = None if stem == own else [folder]
            return spec
        return None


def install() -> None:
    """Find modules so in this process, if Python stores bytecode in the usual place."""
    if os.name == "posix" and sys.implementation.cache_tag and not sys.pycache_prefix and not sys.flags.optimize:
        sys.meta_path.insert(sys.meta_path.index(BuiltinImporter), _Finder)
