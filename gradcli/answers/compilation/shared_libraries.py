"""Shared libraries made of C text by the system's compiler, kept in the platform's folder for caches.

A library is named by its text, the compiler, its options and the processor. It is written under another name and
renamed, so that a killed build or a full disk leaves nothing under its own. A file that another user owns or may write
is not loaded.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

import platformdirs

from gradcli.errors import UnsupportedError
from gradcli.shared.file_replacement import replace_file

OPTIONS = (
    "-std=gnu11", "-O3", "-fno-math-errno", "-ffp-contract=off", "-ftrapping-math", "-fopenmp-simd", "-fPIC", "-shared",
    *(("-march=native",) if platform.machine() in ("x86_64", "AMD64") else ()),
    # GCC 12 stores in a vectorized remainder as if the loop before it, which may be left out, had aligned its arrays.
    "--param", "vect-epilogues-nomask=0",
)  # fmt: skip
SECONDS = 20.0  # of a build, at most
BUILD = "build-"  # the beginning of the name of a folder in which a library is built
MOST_FILES = 500  # the oldest go when there are more


class BuildError(UnsupportedError):
    """There is no library; the message says why."""


def library(text: str, headers: Sequence[str] = ()) -> ctypes.CDLL:
    """The loaded library of a C text, built if no process has built it before, with headers in some folders.

    Raises:
        BuildError: there is no compiler, it fails, or the file cannot be written or loaded.
    """
    compiler = _compiler()
    if not compiler:
        named = os.environ.get("CC")
        raise BuildError("there is no C compiler" + (f": CC is {named!r}, which is no command" if named else ""))
    folder = _folder()
    command = [*compiler, *OPTIONS, *(f"-I{header}" for header in headers)]
    path = os.path.join(folder, f"{_key(text, command)}.so")
    if not _is_ours(path):
        _build(text, command, folder, path)
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(path)
        raise BuildError(f"the library cannot be loaded: {error}") from None


def kept_choice(file: str) -> str:
    """The backend that an earlier process has found to be the fastest beside a library; empty if none has."""
    try:
        with open(_choice_file(file), encoding="utf-8") as opened:
            return opened.read(16)
    except (OSError, ValueError):
        return ""


def keep_choice(file: str, backend: str) -> None:
    """Keep the fastest backend beside a library, for later processes."""
    with suppress(OSError):
        replace_file(_choice_file(file), backend.encode())


def _choice_file(file: str) -> str:
    return f"{file.removesuffix('.so')}.choice"


def _compiler() -> list[str]:
    """The path of the compiler, with the options that `CC` gives after its name; empty if there is none."""
    named = os.environ.get("CC") or "cc"
    words = [named]
    if shutil.which(named) is None:
        with suppress(ValueError):  # an open quotation
            words = shlex.split(named) or words
    path = shutil.which(words[0])
    return [] if path is None or sys.platform == "win32" else [path, *words[1:]]


def _folder() -> str:
    """The folder of the libraries, which its owner alone can read.

    Raises:
        BuildError: it cannot be made, or belongs to someone else.
    """
    held = os.environ.get("GRADCLI_CACHE") or str(platformdirs.user_cache_path("gradcli", appauthor=False))
    folder = os.path.join(os.path.expanduser(held), "compiled")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        state = os.stat(folder)
    except OSError as error:
        raise BuildError(f"the folder {folder} cannot be made: {error.strerror}") from None
    if state.st_uid != os.geteuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise BuildError(f"the folder {folder} can be written by others")
    return folder


def _key(text: str, command: Sequence[str]) -> str:
    """The name of a library."""
    compiler = os.path.realpath(command[0])
    state = os.stat(compiler)
    parts = (text, compiler, f"{state.st_size} {state.st_mtime_ns}", *command[1:], _processor())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


@cache
def _processor() -> str:
    """The system and the processor, with the instructions that it knows."""
    known = platform.processor()
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        known = next((line for line in file if line.startswith(("flags", "Features"))), known)
    return f"{platform.system()} {platform.machine()} {ctypes.sizeof(ctypes.c_void_p)} {known}"


def _is_ours(path: str) -> bool:
    """Whether a library exists that its owner alone, this user, can write."""
    try:
        state = os.lstat(path)
    except OSError:
        return False
    writeable = state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid() and not writeable and state.st_size > 0


def _build(text: str, command: Sequence[str], folder: str, path: str) -> None:
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=BUILD) as build:
            source, made = os.path.join(build, "derived.c"), os.path.join(build, "derived.so")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            whole = [*command, "-o", made, source, "-lm"]
            done = subprocess.run(whole, capture_output=True, text=True, timeout=SECONDS, check=False)
            if done.returncode:
                first = next(iter((done.stderr or done.stdout).strip().splitlines()), f"exit {done.returncode}")
                raise BuildError(f"the compiler fails: {first}")
            os.chmod(made, 0o600)
            os.replace(made, path)
        _remove_oldest(folder)
    except subprocess.TimeoutExpired:
        raise BuildError(f"the compiler takes more than {SECONDS:.0f} s") from None
    except OSError as error:
        raise BuildError(f"the library cannot be built: {error.strerror or error}") from None


def _remove_oldest(folder: str) -> None:
    """Remove what killed builds have left, and if there are very many libraries those that were built first.

    Those that are loaded stay loaded.
    """
    entries = [*os.scandir(folder)]
    for entry in entries:
        if entry.name.startswith(BUILD) and time.time() - entry.stat().st_mtime > 10 * SECONDS:
            shutil.rmtree(entry.path, ignore_errors=True)
    files = [entry for entry in entries if entry.name.endswith(".so")]
    for entry in sorted(files, key=lambda entry: entry.stat().st_mtime)[: max(0, len(files) - MOST_FILES)]:
        for path in (entry.path, _choice_file(entry.path)):
            with suppress(OSError):
                os.unlink(path)
