"""The files kept between sessions: the history and the settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs

from gradcli.shared.file_replacement import replace_file
from gradcli.shared.regular_files import regular_file
from gradcli.terminal.repl.command_descriptions import SETTINGS
from gradcli.terminal.repl.written_files import reason


def history_path() -> str:
    """The history file: GRADCLI_HISTORY, or `history` in the platform's state folder for gradcli."""
    return _place("GRADCLI_HISTORY", platformdirs.user_state_path, "history")


def settings_path() -> str:
    """The settings file: GRADCLI_SETTINGS, or `settings` in the platform's configuration folder for gradcli."""
    return _place("GRADCLI_SETTINGS", platformdirs.user_config_path, "settings")


def _place(variable: str, folder: Callable[..., Path], name: str) -> str:
    return os.path.expanduser(os.environ.get(variable) or str(folder("gradcli", appauthor=False) / name))


def kept_settings() -> dict[str, str]:
    """The settings from earlier sessions; unreadable files and invalid lines are ignored."""
    try:
        with open(settings_path(), encoding="utf-8", opener=regular_file) as file:
            words = [line.split() for line in file]
    except (OSError, ValueError):
        return {}
    return {line[1]: line[2] for line in words if len(line) == 3 and line[2] in SETTINGS.get(line[1], ())}


def keep_settings(settings: Mapping[str, str]) -> str:
    """Save the settings for later sessions, as `set` lines; returns the reason if they cannot be written, or ""."""
    path = settings_path()
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        replace_file(path, "".join(f"set {name} {value}\n" for name, value in settings.items()).encode())
    except (OSError, ValueError) as error:
        return f"{path!r} cannot be written: {reason(error)}"
    return ""
