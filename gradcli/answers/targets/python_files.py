"""Python files by path: found, compiled and executed once; again if they, or neighbours that they import, changed."""

from __future__ import annotations

import importlib
import linecache
import os
import stat
import sys
from _frozen_importlib import module_from_spec  # `importlib.util` has much besides
from _frozen_importlib_external import decode_source, spec_from_file_location
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import CodeType, ModuleType

from gradcli.errors import TargetError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import quoted

Stamp = tuple[int, int]  # time of the last write in ns, and length in bytes

_IMPORTED: dict[str, str] = {}  # the files of the modules that loaded files have imported, by their names
_NOT_ITS_OWN = ("site-packages", "dist-packages")
_FOLDERS: set[str] = set()
_PRIME = 0xFFFF_FFFB  # the largest prime below 2**32; a path modulo it tells modules of equal file name apart


class _Loaded(Frozen):
    """A file that was executed: its stamp, the stamps of the neighbouring files that it depends on, and its module."""

    stamp: Stamp | None
    dependencies: dict[str, Stamp | None]
    module: ModuleType

    def differs(self, path: str) -> bool:
        """Whether the file, or one that it depends on, has changed.

        A missing file does not count, because an editor may be about to write it.
        """
        stamps = {path: self.stamp, **self.dependencies}
        return any((now := _file_stamp(file)) is not None and now != then for file, then in stamps.items())


_LOADED: dict[str, _Loaded] = {}


def load(typed: str) -> ModuleType:
    """Load the Python file at a path as typed, and return its module.

    A file in a package is imported as its module. A file is executed again only if it has changed, or if a file that it
    imports from its own folder has.

    Raises:
        TargetError: the file does not exist, cannot be read, or is not a Python file.
        SourceError: the file does not parse.
        UserCodeError: the file raises while it runs.
    """
    path = _path_of(typed)
    known = _LOADED.get(path)
    if known is None or known.differs(path):
        linecache.checkcache()
        if known is not None:
            for name in [name for name, file in _IMPORTED.items() if file in known.dependencies]:
                sys.modules.pop(name, None)  # so that it is imported again
                del _IMPORTED[name]
            importlib.invalidate_caches()  # the importer may have to see a new file
        now, before = _file_stamp(path), set(sys.modules)
        code, package = _compiled(path, typed), holding(path)
        module = _execute(path, code) if package is None else _imported(path, package)
        folder = os.path.dirname(path) if package is None else package.folder
        known = _LOADED[path] = _Loaded(now, _note_dependencies(before, folder), module)
    return known.module


def changed(typed: str) -> bool:
    """Whether a loaded file, or one that it imports from its own folder, has changed; False if the file is gone."""
    path = os.path.abspath(os.path.expanduser(typed))
    return path in _LOADED and os.path.exists(path) and _LOADED[path].differs(path)


def dependencies(typed: str) -> dict[str, Stamp | None]:
    """The neighbouring files that a loaded file depends on, each with its stamp at that time."""
    known = _LOADED.get(os.path.abspath(os.path.expanduser(typed)))
    return dict(known.dependencies) if known else {}


def _path_of(typed: str) -> str:
    """The absolute path of a Python file.

    Raises:
        TargetError: it does not exist, cannot be read, or is not a Python file.
    """
    with _readable(typed):
        path = os.path.abspath(os.path.expanduser(typed))
        if (mode := _mode(path)) is None:
            from gradcli.answers.targets.python_file_errors import no_file

            raise no_file(typed, path)
        if stat.S_ISDIR(mode):
            raise TargetError(f"{quoted(typed)} is a folder.", hint="A target is file.py:function.")
        if not stat.S_ISREG(mode):
            from gradcli.shared.regular_files import special_kind

            raise TargetError(f"{quoted(typed)} is {special_kind(path)}, not a regular file.")
        if os.path.splitext(path)[1].lower() not in (".py", ".pyw"):
            raise TargetError(f"{quoted(typed)} is not a Python file (.py).", hint="A target is file.py:function.")
    return path


def _mode(path: str) -> int | None:
    """The file mode at `path`, or None if there is no file."""
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


@contextmanager
def _readable(typed: str) -> Iterator[None]:
    """Convert operating-system errors about a path into a TargetError."""
    try:
        yield
    except TargetError:
        raise
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TargetError(f"{quoted(typed)} cannot be read: {reason}.") from None


def _compiled(path: str, typed: str) -> CodeType:
    """The code of a file.

    Raises:
        SourceError: it does not parse.
    """
    with _readable(typed), open(path, "rb") as file:
        data = file.read()
    try:
        return compile(decode_source(data), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        from gradcli.answers.targets.python_file_errors import unparsable

        raise unparsable(error, data, typed, path) from None


def _execute(path: str, code: CodeType) -> ModuleType:
    """Execute a file that is in no package, as a module with a name of its own."""
    folder, file = os.path.split(path)
    name = f"gradcli_target_{os.path.splitext(file)[0]}_{int.from_bytes(os.fsencode(path), 'big') % _PRIME:08x}"
    spec = spec_from_file_location(name, path)
    if spec is None:
        raise TargetError(f"{quoted(path)} is not a Python file (.py).")
    module = module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    _forget_neighbours_of_others(folder)
    try:
        with first_on_path(folder), user_code(f"while {file} is loaded"):
            exec(code, module.__dict__)
    except BaseException:
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        raise
    return module


def _imported(path: str, package: Package) -> ModuleType:
    """Import a module of a package by its name, after removing another package of that name."""
    module = sys.modules.get(package.module)
    file = getattr(module, "__file__", None) or ""
    is_of_another = module is not None and os.path.realpath(file) != os.path.realpath(path)
    if path in _LOADED or is_of_another:
        _forget_with_submodules(package.module.partition(".")[0])
    with first_on_path(package.root), user_code(f"while {os.path.basename(path)} is loaded"):
        return importlib.import_module(package.module)


def _forget_neighbours_of_others(folder: str) -> None:
    """Remove neighbouring modules of files in other folders if this folder has modules of the same names."""
    _FOLDERS.add(folder)
    own = {name.removesuffix(".py") for name in os.listdir(folder)}
    for name in own & set(sys.modules):
        place, file = os.path.split(getattr(sys.modules[name], "__file__", None) or os.sep)
        place = os.path.dirname(place) if os.path.splitext(file)[0] == "__init__" else place
        if place in _FOLDERS - {folder}:
            _forget_with_submodules(name)


def _forget_with_submodules(name: str) -> None:
    for inside in [other for other in sys.modules if f"{other}.".startswith(f"{name}.")]:
        del sys.modules[inside]


@contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Convert exceptions of the user's code into an error with the user's frames. Ctrl-C passes through.

    Raises:
        UserCodeError: the code raised, or called `exit`.
    """
    try:
        yield
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        from gradcli.answers.targets.tracebacks import raised

        failure = raised(error, doing)
        if isinstance(error, SystemExit):
            failure.hint = 'Put the code that runs as a program under if __name__ == "__main__":.'
        elif isinstance(error, ImportError) and "relative import" in str(error):
            failure.hint = "Add an __init__.py: a folder with one is a package, whose files are imported as modules."
        raise failure from error


@contextmanager
def first_on_path(folder: str) -> Iterator[None]:
    """Put `folder` first in `sys.path`, as for a program started there; afterwards keep it last, for later imports."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)


def _file_stamp(path: str) -> Stamp | None:
    """A value that changes when the file is saved; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _note_dependencies(before: Collection[str], folder: str) -> dict[str, Stamp | None]:
    """Note newly imported modules, and return the stamps of the files below `folder` that loaded files depend on.

    Args:
        before: the names of the modules that existed before a file of the folder was loaded.
        folder: the folder.
    """
    inside = os.path.join(folder, "")
    for name in set(sys.modules) - set(before):
        file = getattr(sys.modules[name], "__file__", None) or ""
        own = file.startswith(inside) and not any(part in file for part in _NOT_ITS_OWN)
        if own and name.partition(".")[0] != "gradcli" and not name.startswith("gradcli_target_"):
            _IMPORTED[name] = file
    return {file: _file_stamp(file) for file in _IMPORTED.values() if file.startswith(inside)}


class Package(Frozen):
    """The position of a module in its package.

    Attributes:
        module: the dotted name of the module.
        root: the folder that contains the topmost package and has to be on `sys.path`.
        folder: the folder of the topmost package.
    """

    module: str
    root: str
    folder: str


def holding(path: str) -> Package | None:
    """The package of the file at an absolute path; None if it belongs to none, or if its name is not an identifier."""
    folder, file = os.path.split(path)
    stem = os.path.splitext(file)[0]
    parts = [] if stem == "__init__" else [stem]
    top = folder
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        top = folder
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    if folder == os.path.dirname(path) or not all(part.isidentifier() for part in parts):
        return None
    return Package(".".join(parts), folder, top)
