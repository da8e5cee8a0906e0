"""The documents are true: commands print what they show, sessions go so, screens look so, Python runs."""

import re
from pathlib import Path

import pytest

from gradcli.terminal.cli.command_names import COMMANDS
from tests.documents.generated import PAGES
from tests.documents.shown import (
    DOCS,
    IN_THE_WILD,
    Block,
    answered,
    blocks,
    complaints,
    documents,
    new_session,
    replayed,
    seen,
)


@pytest.mark.parametrize(
    "block", blocks("console", *(path for path in documents() if path != IN_THE_WILD)), ids=lambda block: block.name
)
def test_a_command_prints_what_is_shown(block: Block) -> None:
    assert block.text == replayed(block.text)


@pytest.mark.parametrize("path", [path for path in documents() if blocks("session", path)], ids=lambda path: path.stem)
def test_a_session_goes_as_shown(path: Path) -> None:
    """Each line at the prompt is answered so; the blocks of one document are one session."""
    shown = [block.text for block in blocks("session", path)]

    with new_session() as session:
        assert shown == [answered(text, session) for text in shown]


@pytest.mark.parametrize("block", blocks("screen"), ids=lambda block: block.name)
def test_a_screen_is_as_shown(block: Block) -> None:
    assert block.text == seen(block.text)


@pytest.mark.parametrize("block", [block for block in blocks("python") if ">>> " in block.text], ids=lambda b: b.name)
def test_python_runs_as_shown(block: Block) -> None:
    assert complaints(block) == ""


def test_no_command_is_shown_without_being_run() -> None:
    """A command stands in a console block, in a build server's job or on a generated page, which have their tests."""
    command = re.compile(rf"^(?:\$ )?gradcli (?:{'|'.join(COMMANDS)}) .*", re.MULTILINE)
    written = set(documents()) - {DOCS / name for name in PAGES}
    others = [(path, kind) for path in written for kind in ("text", "sh", "bash", "toml")]

    assert [] == [
        (path, each) for path, kind in others for block in blocks(kind, path) for each in command.findall(block.text)
    ]


def test_a_filter_takes_lines_of_the_output() -> None:
    block = "$ gradcli help exit-codes | head -n 1\nExit codes\n$ gradcli help exit-codes | tail -n 1\n"

    assert f"{block}  130  interrupted by Ctrl-C\n" == replayed(block)
