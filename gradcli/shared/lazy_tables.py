"""Tables of rows that modules add, which are imported when a missing row is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")


class LazyTable(dict[str, T]):
    """Rows by name. When a missing name is asked for, or all names are, modules that add rows are imported.

    Args:
        modules: the modules, by their dotted names, in the order in which they are imported until the name is found.
    """

    def __init__(self, *modules: str) -> None:
        super().__init__()
        self._waiting = [*modules]
        self._lock = RLock()  # another thread waits until the import has finished

    def __missing__(self, name: str) -> T:
        if name in self:
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        with self._lock:
            while self._waiting and not super().__contains__(name):
                self._import_next()
        return super().__contains__(name)

    def _import_next(self) -> None:
        import_module(self._waiting.pop(0))

    def complete(self) -> None:
        """Import all modules."""
        with self._lock:
            while self._waiting:
                self._import_next()

    def get(self, name: str, default: Any = None) -> Any:
        """The row of this name, or `default`."""
        try:
            return self[name]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        self.complete()
        return super().__iter__()

    def __len__(self) -> int:
        self.complete()
        return super().__len__()

    def keys(self) -> Any:
        """All names."""
        self.complete()
        return super().keys()

    def values(self) -> Any:
        """All rows."""
        self.complete()
        return super().values()

    def items(self) -> Any:
        """All names with their rows."""
        self.complete()
        return super().items()
