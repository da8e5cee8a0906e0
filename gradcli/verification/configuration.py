"""The configuration of a project: the nearest gradcli.toml, or `[tool.gradcli]` in pyproject.toml, upwards."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatch
from types import MappingProxyType
from typing import Any

from gradcli.errors import UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.regular_files import read_file
from gradcli.verification.check_options import COMMON, ENTRY, LOCAL, InputPlace, read_options, unknown
from gradcli.verification.marks_in_source import PATTERNS

_DEEP = re.compile(r"(?:[\w\"'-]+[ \t]*\.[ \t]*){100}")  # a key of a hundred parts


def read_toml(path: str) -> tuple[dict[str, Any], str]:
    """The content of a TOML file as a table and as text.

    Raises:
        UsageError: the file cannot be read, or is not valid TOML.
    """
    try:
        text = read_file(path).decode("utf-8")
        if _DEEP.search(text):  # `tomllib` takes minutes
            raise RecursionError
        return tomllib.loads(text), text
    except OSError as error:
        raise UsageError(f"The configuration {path!r} cannot be read: {error.strerror}.") from None
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError as error:  # a number of thousands of digits is not a TOMLDecodeError
        reason = str(error)
    raise UsageError(f"{os.path.relpath(path)} is not valid TOML: {reason}.", file=os.path.abspath(path))


OWN_FILE = "gradcli.toml"
OWN = {"require-points": COMMON["strict"]}
KEYS = (*COMMON, *OWN, "check", "exclude", "files", "pairs", "workers")


class Configuration(Frozen):
    """The configuration of a project.

    Args:
        folder: the folder that its paths are relative to.
        file: the configuration file; None if there is none.
        defaults: options of all cases.
        files: options of the cases in matching files, by path pattern.
        entries: the listed cases, each with its first line.
        exclude: patterns of paths that are not searched.
        patterns: naming patterns of the derivatives of `{f}`, by kind of derivative.
        require_points: whether a case without a point fails the run.
        workers: the number of processes; None for the default.
    """

    folder: str
    file: str | None = None
    defaults: Mapping[str, Any] = MappingProxyType({})
    files: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    entries: tuple[tuple[int, Mapping[str, Any]], ...] = ()
    exclude: tuple[str, ...] = ()
    patterns: Mapping[str, tuple[str, ...]] = MappingProxyType(PATTERNS)
    require_points: bool = False
    workers: int | None = None

    def options_of(self, file: str | None) -> dict[str, Any]:
        """The options for a file, whose path is relative to the folder."""
        merged = dict(self.defaults)
        for pattern, options in self.files.items():
            if file is not None and fnmatch(file.replace(os.sep, "/"), pattern):
                merged.update(options)
        return merged


def find(start: str) -> Configuration:
    """The nearest configuration from a folder upwards; an empty one for the current folder if there is none.

    Raises:
        UsageError: a file on the way cannot be read or is not valid TOML, or the configuration is invalid.
    """
    folder = os.path.abspath(start)
    folder = folder if os.path.isdir(folder) else os.path.dirname(folder)
    here = folder
    while True:
        if os.path.isfile(path := os.path.join(here, OWN_FILE)):
            return load(path)
        if os.path.isfile(path := os.path.join(here, "pyproject.toml")):
            # Also parsed where it does not mention gradcli: a faulty one must not yield to that of another project.
            tree, text = read_toml(path)
            if "gradcli" in _ConfigurationReader(path, text).tools(tree):
                return load(path)
        if os.path.dirname(here) == here:
            return Configuration(os.getcwd())
        here = os.path.dirname(here)


def _table(value: Any, place: InputPlace) -> Mapping[str, Any]:
    """A value that has to be a table."""
    if not isinstance(value, dict):
        raise place.error("it has to be a table.")
    return value


def load(path: str) -> Configuration:
    """The configuration in a file.

    Raises:
        UsageError: the file does not exist, is not TOML, or has an unknown key or a value of the wrong type.
    """
    tree, text = read_toml(path)
    reader = _ConfigurationReader(os.path.abspath(path), text)
    is_own = os.path.basename(path) != "pyproject.toml"
    if is_own and "tool" not in tree:
        return reader.read(tree)
    if (table := reader.tools(tree).get("gradcli")) is None:
        hint = "Add [tool.gradcli] to it; `gradcli help verify` shows what it takes."
        raise UsageError(f"{path} has no table [tool.gradcli].", hint=hint)
    reader.prefix = "tool.gradcli"
    return reader.read(table)


class _ConfigurationReader:
    """Reads a configuration table, and reports the place of errors in the file."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.prefix = ""  # of the names of its tables
        self.shown = os.path.relpath(path)

    def place(self, table: str = "", line: int | None = None) -> InputPlace:
        """The place of a table in the file."""
        where = ".".join(part for part in (self.prefix, table) if part)
        at = f"{self.shown}:{line}" if line else self.shown
        return InputPlace(f"{at}, [{where}]" if where else at, self.path, line)

    def tools(self, tree: Mapping[str, Any]) -> Mapping[str, Any]:
        """The `tool` table of the file, empty if there is none."""
        return self._table(tree.get("tool", {}), "tool")

    def read(self, table: Mapping[str, Any]) -> Configuration:
        """The configuration in a table."""
        place = self.place()
        for key in _table(table, place):
            if key not in KEYS:
                raise unknown(key, KEYS, place)
        return Configuration(
            os.path.dirname(self.path),
            self.path,
            read_options({key: value for key, value in table.items() if key in COMMON}, COMMON, place),
            {
                pattern: read_options(
                    self._table(options, f'files."{pattern}"'), LOCAL, self.place(f'files."{pattern}"')
                )
                for pattern, options in self._table(table.get("files", {}), "files").items()
            },
            tuple(self._entries(table.get("check", []))),
            self._texts("exclude", table.get("exclude", [])),
            self._patterns(table.get("pairs", {})),
            **read_options({key: table[key] for key in OWN if key in table}, OWN, place),
            workers=self._workers(table.get("workers")),
        )

    def _table(self, value: Any, name: str) -> Mapping[str, Any]:
        return _table(value, self.place(name))

    def _texts(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.place().error(f"{key} has to be a list of texts.")
        return tuple(value)

    def _workers(self, value: Any) -> int | None:
        if value in (None, "auto"):
            return None if value is None else 0
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.place().error('workers has to be a number of processes, or "auto".')
        return value

    def _patterns(self, value: Any) -> Mapping[str, tuple[str, ...]]:
        patterns = dict(PATTERNS)
        for key, names in self._table(value, "pairs").items():
            if key not in PATTERNS:
                raise unknown(key, PATTERNS, self.place("pairs"))
            patterns[key] = self._texts(f"pairs.{key}", names)
            for name in patterns[key]:
                if name.count("{f}") != 1:
                    message = f"{name!r} has to have {{f}} in it once, as in grad_{{f}}."
                    raise self.place("pairs").error(message)
        return patterns

    def _entries(self, value: Any) -> list[tuple[int, Mapping[str, Any]]]:
        if not isinstance(value, list):
            raise self.place("check").error("it has to be a list of tables, [[tool.gradcli.check]].")
        lines = self._lines_of_entries()
        entries: list[tuple[int, Mapping[str, Any]]] = []
        for number, entry in enumerate(value):
            line = lines[number] if len(lines) == len(value) else 1
            place = self.place("check", line)
            options = read_options(self._table(entry, "check"), ENTRY, place)
            if "target" not in options:
                raise place.error("a check needs a target.", hint='Add target = "file.py:f".')
            entries.append((line, options))
        return entries

    def _lines_of_entries(self) -> list[int]:
        """The first lines of the listed checks, if they are written as `[[…]]` tables."""
        name = re.escape(".".join(part for part in (self.prefix, "check") if part))
        return [n for n, line in enumerate(self.text.split("\n"), 1) if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
