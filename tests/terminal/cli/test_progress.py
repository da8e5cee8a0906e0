"""The progress of a check, and its end if the code ignores the time limit."""

import json
import os

import pytest

from gradcli.errors import OutOfTimeError
from gradcli.terminal.cli.progress import Progress

ERROR = OutOfTimeError("The time is over.", hint="Allow more.")


@pytest.fixture
def exits(monkeypatch):
    """The codes with which the process would have been ended."""
    found = []
    monkeypatch.setattr(os, "_exit", found.append)
    return found


def test_a_process_whose_code_ignores_the_limit_is_ended(exits, capsys):
    Progress(may_exit=True).ignored(ERROR)

    assert (exits, capsys.readouterr().err) == ([7], "error[G908]: The time is over.\nAllow more.\n")


def test_the_error_of_such_a_process_can_be_json(exits, capsys):
    Progress(quiet=True, may_exit=True).ignored(ERROR)

    assert (exits, json.loads(capsys.readouterr().err)["error"]["code"]) == ([7], "G908")


def test_a_session_is_not_ended(exits, capsys):
    Progress().ignored(ERROR)

    assert (exits, capsys.readouterr().err) == ([], "")
