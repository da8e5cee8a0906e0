"""Completion for the shell: candidates for the last word of a command line, without importing any library.

A shell calls this at every Tab. Therefore the commands and options come from a table beside this module, and the
functions of a file from its syntax, without running the file. `shell_completion.tsv` is written by
`python -m tests.write`: the commands with their help; the options, each with its help, the values that it takes (- for
a flag) and the commands that have it; and the words that `help` takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from gradcli.shared.file_completion import functions_in, paths

with open(os.path.splitext(__file__)[0] + ".tsv", encoding="utf-8") as _file:
    _commands, _options, HELP = _file.read().split("\n\n")

COMMANDS: dict[str, str] = dict(line.split("\t") for line in _commands.split("\n"))
ROWS: list[list[str]] = [line.split("\t") for line in _options.split("\n")]
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
        return files(typed)
    return targets(typed) if command in TARGETED else ()


def value_of(option: str, choices: Sequence[str], before: list[str], typed: str) -> Iterable[Candidate]:
    """The candidates for the value of an option; `choices` lists its fixed values, if it has any."""
    if option == "--against":
        return targets(typed)
    if option == "--out":
        return files(typed)
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
            return functions_in(path).get(name, [])
    return []


def targets(typed: str) -> Iterator[Candidate]:
    """Python files, or after a colon the functions in the file."""
    path, colon, _ = typed.rpartition(":")
    if colon:
        for name, names in functions_in(path).items():
            yield f"{path}:{name}", f"{name}({', '.join(names)})"
        return
    for path_of_file, meaning in files(typed, ".py"):
        yield (f"{path_of_file}:" if path_of_file.endswith(".py") else path_of_file), meaning


def files(typed: str, *endings: str) -> list[Candidate]:
    """The files and folders that complete a path."""
    return [(path, "a folder" if path.endswith("/") else "") for path in paths(typed, *(endings or ("",)))]
