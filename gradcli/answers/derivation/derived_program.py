"""A derived program as an object: its text, its function and its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import Any

from gradcli.answers.derivation.languages.python_program import PythonProgram, compiled
from gradcli.answers.derivation.languages.translated_programs import ENDINGS, HEADS, WRITTEN, Language, translated
from gradcli.answers.derivation.verification import DerivedTrial, Verified
from gradcli.errors import UsageError
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared.file_replacement import begins_with, replace_file
from gradcli.shared.notebook_display import NotebookDisplay


class Source(NotebookDisplay):
    """A derived program.

    Attributes:
        text: the text of the file.
        name: the name of the function in the file.
        verified: the number of points at which it agreed with the tape, and with differences.
        language: the language of the text.
    """

    def __init__(self, text: str, name: str, verified: Verified, language: Language, python: str) -> None:
        self.text = text
        self.name = name
        self.verified = verified
        self.language = language
        self._python = text if language in ("python", "numba") else python

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The derived function as a Python callable; for a C program, the Python program from which it was made."""
        return compiled(self._python, self.name)

    @library_call
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; replaces only a file derived by gradcli or an empty one.

        Raises:
            UsageError: another file exists, the path cannot be written, or its ending is that of another language.
        """
        file = os.path.expanduser(os.fspath(path))
        ending = os.path.splitext(file)[1].lower()
        if ending != ENDINGS[self.language] and ending in ENDINGS.values():
            raise UsageError(
                f"{str(path)!r} is no file of {self.language}.", hint=f"Name a {ENDINGS[self.language]} file."
            )
        if os.path.lexists(file) and not begins_with(file, HEADS[self.language].encode(), WRITTEN.encode()):
            raise UsageError(
                f"{str(path)!r} exists and is not derived by gradcli, so it was not written over.",
                hint="Choose another name.",
            )
        try:
            replace_file(file, self.text.encode())
        except (OSError, ValueError) as error:
            raise UsageError(f"{str(path)!r} cannot be written: {error}.", hint="Name another file.") from None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<source of {self.name}, {len(self.text.splitlines())} lines>"


def verified_source(program: PythonProgram, trial: DerivedTrial, language: Language) -> Source:
    """A program in a language, verified in Python at its points."""
    verified = trial.at(program.points)
    return Source(translated(program, language), program.name, verified, language, program.text)
