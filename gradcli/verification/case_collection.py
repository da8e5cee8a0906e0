"""The cases of a run, from the configuration and from the sources, without importing any code."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from itertools import count
from typing import Any

from gradcli.errors import UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.verification import GradientCase
from gradcli.shared.regular_files import special_kind
from gradcli.verification import configuration
from gradcli.verification.check_options import has_point
from gradcli.verification.configuration import Configuration
from gradcli.verification.marks_in_source import COMPUTED, Definition, definitions

NOT_SEARCHED = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages", "build", "dist"})
TEST_FOLDERS = frozenset({"tests", "test", "testing"})


def python_files(folder: str, exclude: Sequence[str] = (), root: str | None = None) -> list[str]:
    """The sorted paths of the Python files in a folder; `exclude` holds patterns of paths relative to `root`.

    Those of pipes, devices and links without an end are among them.
    """
    root = root or folder
    return sorted(path for path in _walked(folder) if not is_excluded(os.path.relpath(path, root), exclude))


def is_excluded(path: str, exclude: Sequence[str]) -> bool:
    """Whether a path, or a folder that contains it, matches one of the patterns."""
    parts = path.replace(os.sep, "/").split("/")
    above = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    return any(fnmatch(folder, pattern.rstrip("/")) for folder in above for pattern in exclude)


def is_test(path: str) -> bool:
    """Whether a path, relative to the searched folder, is a test file."""
    *folders, file = path.replace(os.sep, "/").split("/")
    stem = file.removesuffix(".py")
    named = stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"
    return named or not TEST_FOLDERS.isdisjoint(folders)


def _walked(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = [folder for folder in folders if not _is_left_out(os.path.join(here, folder))]
        yield from (os.path.join(here, file) for file in files if file.endswith(".py") and not file.startswith("."))


def _is_left_out(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".") or name in NOT_SEARCHED or os.path.exists(os.path.join(path, "pyvenv.cfg"))


_FILE = re.compile(r"(.+\.pyw?)(?:::?(.+))?", re.DOTALL | re.IGNORECASE)


class Collected(Frozen):
    """The cases of a run in the order of their files, their configuration, and the number of cases found.

    `count` is the number of cases before `select` filters them. `unread` are the paths of pipes, devices and endless
    links with names of Python files.
    """

    cases: tuple[GradientCase, ...]
    configuration: Configuration
    count: int
    unread: tuple[str, ...] = ()


def collected(paths: Sequence[str] = (), config: str | None = None, select: str | None = None) -> Collected:
    """The cases in the given paths, or in the whole project if there are none.

    Args:
        paths: files, folders and targets; only cases that are named, marked or listed are ever run.
        config: the path of the configuration; by default the nearest one upwards.
        select: a text that the name, the target or the derivative of a case must contain.

    Raises:
        UsageError: a path does not exist, or the configuration is invalid.
    """
    asked = [_Asked(path) for path in paths]
    start = asked[0].path if asked and asked[0].path else "."
    configured = configuration.load(config) if config else configuration.find(start)
    asked = asked or [_Asked(configured.folder)]
    sources = dict(_sources(configured, asked))
    known = [*_distinct([*_listed(configured), *_searched(configured, sources)])]
    cases = [case for case in _named_apart(known) if any(selection.holds(case) for selection in asked)]
    for selection in asked:
        if selection.name and not any(map(selection.holds, cases)):
            raise _no_case(selection.text)
    chosen = [case for case in cases if select is None or _speaks_of(case, select)]
    return Collected(tuple(chosen), configured, len(cases), tuple(path for path in sources if not os.path.isfile(path)))


class _Asked:
    """A requested file, folder or target.

    Attributes:
        path: the absolute path of the file or folder; None for a target in a module.
        name: the function, if one is named.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.name: str | None = None
        self.path: str | None = os.path.abspath(os.path.expanduser(text))
        if os.path.exists(self.path):
            if not os.path.isdir(self.path) and not text.lower().endswith((".py", ".pyw")):
                raise UsageError(f"{text!r} is not a Python file (.py).", hint="Name files, folders or targets.")
            return
        if match := _FILE.fullmatch(text):
            self.path, self.name = os.path.abspath(os.path.expanduser(match[1])), match[2]
            if not (os.path.isfile(self.path) or special_kind(self.path)) or not self.name:
                raise UsageError(f"There is no file {match[1]!r}.", hint="Name files, folders or targets.")
        elif ":" in text and "/" not in text:
            self.path, self.name = None, text
        else:
            raise UsageError(f"There is no file or folder {text!r}.", hint="Name files, folders or targets.")

    def holds(self, case: GradientCase) -> bool:
        """Whether a case is in the requested folder or file, or belongs to the requested target.

        A listed case is also in the folder of its configuration, wherever its files are.
        """
        if self.path is None:
            return self.name in (case.target, case.against)
        files = [part for part in (file_of(case.target, case.folder), file_of(case.against, case.folder)) if part]
        if self.name is not None:
            names = (_name_in(case.target), _name_in(case.against), case.against)
            return self.path in files and (self.name in names or (names[0] is None and case.origin == "marked"))
        if os.path.isdir(self.path):
            return any(_inside(file, self.path) for file in [*files, case.file or case.folder])
        return self.path in files


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def file_of(target: str | None, folder: str) -> str | None:
    """The absolute path of the file that a target names; None for a target without a file."""
    match = _FILE.fullmatch(target) if target else None
    return os.path.normpath(os.path.join(folder, os.path.expanduser(match[1]))) if match else None


def _name_in(target: str | None) -> str | None:
    match = _FILE.fullmatch(target) if target else None
    return match[2] if match else None


def _no_case(text: str) -> UsageError:
    hint = (
        "Mark its gradient, list it in [[tool.gradcli.check]], or use gradcli check. `gradcli verify --list` shows all."
    )
    return UsageError(f"There is no case for {text!r}.", hint=hint)


def _listed(configuration: Configuration) -> Iterator[GradientCase]:
    for line, entry in configuration.entries:
        options = dict(entry)
        target, against = options.pop("target"), options.pop("against", None)
        file = file_of(target, configuration.folder)
        options = {**configuration.options_of(file and os.path.relpath(file, configuration.folder)), **options}
        definition = Definition(target, against, options, "listed", line)
        yield _case(definition, configuration.file, configuration)


def _sources(configuration: Configuration, asked: Iterable[_Asked]) -> Iterator[tuple[str, tuple[bool, bool]]]:
    """The paths of the requested files and of those in the requested folders.

    With each: whether names make pairs there, and whether the file itself was requested.
    """
    for selection in asked:
        if selection.path is None:
            continue
        if kind := special_kind(selection.path):
            raise UsageError(f"{selection.text!r} is {kind}, not a regular file.")
        whole = os.path.isdir(selection.path)
        for path in (
            python_files(selection.path, configuration.exclude, configuration.folder) if whole else [selection.path]
        ):
            yield path, (not (whole and is_test(os.path.relpath(path, selection.path))), not whole)


def _searched(configuration: Configuration, sources: Mapping[str, tuple[bool, bool]]) -> Iterator[GradientCase]:
    """The cases in the sources."""
    for path, (is_paired, is_given) in sources.items():
        if os.path.isfile(path):
            yield from _of_source(path, configuration, is_paired, is_given)


def _of_source(path: str, configuration: Configuration, is_paired: bool, is_given: bool) -> Iterator[GradientCase]:
    shown = os.path.relpath(path, configuration.folder)
    if is_excluded(shown, configuration.exclude):
        return
    for definition in definitions(path, configuration.patterns, paired=is_paired, given=is_given):
        against = definition.against and (
            definition.against if ":" in definition.against else f"{shown}:{definition.against}"
        )
        target = f"{shown}:{definition.target}" if definition.target else shown
        options = {} if definition.fault else {**configuration.options_of(shown), **definition.options}
        here = definition._replace(target=target, against=against, options=options)
        is_marked = definition.origin == "marked" and not definition.fault
        yield (_of_mark if is_marked else _case)(here, path, configuration)


def _of_mark(asked: Definition, file: str, configuration: Configuration) -> GradientCase:
    """The case of a decorated function, whose function and point are read from the module when it is loaded."""
    literal = {key: value for key, value in asked.options.items() if value is not COMPUTED}
    case = _case(asked._replace(options=literal), file, configuration)
    missing = None if has_point(asked.options) else case.missing
    if "." in _bare(asked.against or ""):
        missing = "a method needs its object; list it as object.method of its file"
    return case.changed(marked=asked.against, missing=missing)


def _case(asked: Definition, file: str | None, configuration: Configuration) -> GradientCase:
    """The case of a definition whose targets name their files, with the options that are not of a check separated.

    `file` is the one that asks for it.
    """
    options = dict(asked.options)
    name, allow, skip = (options.pop(key, None) for key in ("name", "allow", "skip"))
    missing = None if asked.fault or has_point(options) else _without_point(asked)
    title = name or asked.target + (f" by {_bare(asked.against)}" if asked.against else "")
    if name is None and options.get("of", "gradient") != "gradient":
        title += f" ({options['of']})"
    return GradientCase(
        title,
        asked.target,
        asked.against,
        options,
        asked.origin,
        configuration.folder,
        file,
        asked.line,
        tuple(allow or ()),
        skip,
        missing,
        fault=asked.fault,
        example=asked.example,
    )


def _without_point(asked: Definition) -> str:
    """The message for a case without a point, with the line to add."""
    point = asked.example or "1,2"
    if asked.origin == "listed":
        return f"no point; add at = {_toml(point)}"
    if asked.origin == "marked":
        return f"no point; add at={point!r} to its mark"
    quoted = shlex.quote(point) if '"' in point else point
    word = "paired by name, no point" if asked.origin == "paired" else "no point"
    return f"{word}; put # gradcli: --at {quoted} above it"


def _bare(target: str) -> str:
    return target.rpartition(":")[2]


def _distinct(cases: Iterable[GradientCase]) -> Iterator[GradientCase]:
    """The cases without duplicates: a listed case replaces the same case from a mark, a comment or a name."""
    known: set[tuple[Any, ...]] = set()
    for case in cases:
        against = case.against if case.against is None or ":" in case.against else _beside(case.target, case.against)
        key = (file_of(case.target, case.folder), _name_in(case.target), against, case.of)
        if case.origin != "listed" and not case.fault and key in known:
            continue
        known.add(key)
        yield case


def _beside(target: str, name: str) -> str:
    return f"{target.rpartition(':')[0]}:{name}"


def _speaks_of(case: GradientCase, text: str) -> bool:
    lowered = text.lower()
    return any(lowered in part.lower() for part in (case.name, case.target, case.against or ""))


def _named_apart(cases: Sequence[GradientCase]) -> Iterator[GradientCase]:
    """The cases with the first free number appended to repeated names."""
    taken, seen = {case.name for case in cases}, set()
    for case in cases:
        name = case.name
        if name in seen:
            name = next(candidate for n in count(2) if (candidate := f"{case.name} #{n}") not in taken)
        taken.add(name)
        seen.add(name)
        yield case.changed(name=name)


def as_toml(cases: Iterable[GradientCase], configured: Configuration) -> str:
    """The cases that a configuration does not list, as entries to paste into it, without the options that it has."""
    own = configured.file is not None and os.path.basename(configured.file) == configuration.OWN_FILE
    prefix = "" if own else "tool.gradcli."
    return "\n".join(
        _entry(case, configured.options_of(case.target.partition(":")[0]), prefix)
        for case in cases
        if case.origin != "listed"
    )


def _entry(case: GradientCase, general: Mapping[str, Any], prefix: str) -> str:
    values: dict[str, Any] = {"target": case.target, **({"against": case.against} if case.against else {})}
    values |= {
        name.replace("_", "-"): value for name, value in case.options.items() if (name, value) not in general.items()
    }
    lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
    if case.missing:
        lines.append(f"# at = {_toml(case.example or '1,2')}")
    return "\n".join([f"[[{prefix}check]]", *lines, ""])


def _toml(value: Any) -> str:
    import json

    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
