"""Completion for the shell: candidates for the last word of a command line, without importing any library.

A shell calls this at every Tab. Therefore the commands and options come from a generated table (`completion_table.py`),
and the functions of a file from its syntax, without running the file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from gradcli.terminal.cli.completion_table import COMMANDS, HELP, ROWS

TARGETED = next(commands for option, _, _, commands in ROWS if option == "--at").split()
POINTS = (".json", ".npy")
QUOTES = "'\""
SHORT = {"-o": "--out", "-n": "--workers"}

Candidate = tuple[str, str]  # a whole word and its description


def options(command: str) -> dict[str, str]:
    """The options of a command with their help; under "" those of `gradcli` itself."""
    own = {option: meaning for option, meaning, _, owners in ROWS if option and command in owners.split(" ")}
    return own | {"--help": "Show this message and exit."}


def _values(command: str) -> dict[str, list[str]]:
    """The fixed values of each option that takes one, and under no name those of the command's argument."""
    return {option: taken.split() for option, _, taken, owners in ROWS if taken != "-" and command in owners.split()}


def answer(arguments: list[str]) -> int:
    """Print the candidates for a shell's command line.

    The arguments are `bash LINE BREAKS`, or the name of another shell and the words. Bash replaces only the part of a
    word after the last of its BREAKS, so only this part is printed for Bash.
    """
    shell, *rest = arguments
    if shell == "bash":
        words = split(rest[0])
        typed = max((words[-1].rfind(sign) for sign in rest[1] if sign in ":=@"), default=-1) + 1
        shown = [word[typed:] for word, _ in candidates(words[1:])]
    else:
        shown = [f"{word}\t{meaning}" for word, meaning in candidates(rest[1:])]
    sys.stdout.write("".join(f"{line}\n" for line in shown))
    return 0


def split(line: str) -> list[str]:
    """Split a line into words as a shell does; the last word is the one being typed and may be empty."""
    words, quote = [""], ""
    for sign in line:
        if quote:
            words[-1] += "" if sign == quote else sign
            quote = "" if sign == quote else quote
        elif sign in QUOTES:
            quote = sign
        elif sign.isspace():
            words += [""] if words[-1] else []
        else:
            words[-1] += sign
    return words


def candidates(words: list[str]) -> list[Candidate]:
    """The candidates for the last word."""
    *before, typed = words or [""]
    possible = first() if not before else following(before, typed)
    return [candidate for candidate in possible if candidate[0].startswith(typed)]


def first() -> Iterator[Candidate]:
    """The commands and the options of `gradcli` itself."""
    yield from COMMANDS.items()
    yield from options("").items()


def following(before: list[str], typed: str) -> Iterable[Candidate]:
    """The candidates after a command and its first words."""
    command, last = before[0], SHORT.get(before[-1], before[-1])
    values = _values(command)
    if last in values:
        return value_of(last, values[last], before, typed)
    if typed.startswith("-"):
        return options(command).items()
    if command == "help":
        return [(word, "") for word in HELP.split()]
    if "" in values:
        return [(word, "") for word in values[""]]
    if command == "run":
        return files(typed, "")
    return targets(typed) if command in TARGETED else ()


def value_of(option: str, choices: Sequence[str], before: list[str], typed: str) -> Iterable[Candidate]:
    """The candidates for the value of an option; `choices` lists its fixed values, if it has any."""
    if option == "--against":
        return targets(typed)
    if option == "--out":
        return files(typed, "")
    if option == "--at":
        return points(before, typed)
    if option == "--wrt":
        done = typed[: typed.rfind(",") + 1]
        return [(done + name, "an input") for name in parameters(before) if name not in done.split(",")]
    if option == "--along":
        return [(name, "an input") for name in parameters(before)]
    if option == "--box":
        return [(f"{name}=", "an input") for name in parameters(before)]
    return [(word, "") for word in choices]


def points(before: list[str], typed: str) -> Iterator[Candidate]:
    """The candidates for a point: files after @, otherwise inputs by name."""
    if typed.startswith("@"):
        yield from ((f"@{path}", meaning) for path, meaning in files(typed[1:], *POINTS))
        return
    done = typed[: typed.rfind(",") + 1]
    given = {part.partition("=")[0] for part in done.split(",")}
    yield from ((f"{done}{name}=", "an input") for name in parameters(before) if name not in given)


def parameters(before: list[str]) -> list[str]:
    """The parameters of the command's target, if it is a function in a file."""
    for word in before[1:]:
        path, colon, name = word.partition(":")
        if colon and path.endswith(".py"):
            return dict(functions(path)).get(name, [])
    return []


def targets(typed: str) -> Iterator[Candidate]:
    """Python files, or after a colon the functions in the file."""
    path, colon, _ = typed.rpartition(":")
    if colon:
        for name, names in functions(path):
            yield f"{path}:{name}", f"{name}({', '.join(names)})"
        return
    for path_of_file, meaning in files(typed, ".py"):
        yield (f"{path_of_file}:" if path_of_file.endswith(".py") else path_of_file), meaning


def files(typed: str, *endings: str) -> Iterator[Candidate]:
    """The files and folders that complete a path; hidden ones only after a dot."""
    folder, name = os.path.split(typed)
    try:
        entries = sorted(os.scandir(os.path.expanduser(folder) or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(name) or (entry.name.startswith(".") and not name) or entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield os.path.join(folder, entry.name) + "/", "a folder"
        elif entry.name.endswith(endings):
            yield os.path.join(folder, entry.name), ""


def functions(path: str) -> list[tuple[str, list[str]]]:
    """The public functions of a file with their parameter names, read from its syntax."""
    import ast

    from gradcli.shared.regular_files import read_file

    try:
        body = ast.parse(read_file(os.path.expanduser(path))).body
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    defined = [node for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return [(node.name, [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]) for node in defined]
