"""The page on gradients of published libraries: its commands print what it shows where a library is installed."""

import re

import pytest

from gradcli.errors import Exit
from tests.documents.published_libraries import FOLDER, RELEASES, files_run, why_not_run
from tests.documents.shown import IN_THE_WILD, Block, blocks, commands, replayed, run

BLOCKS = blocks("console", IN_THE_WILD)
COMMANDS = list(dict.fromkeys(line.partition(" | ")[0] for block in BLOCKS for line in commands(block.text)))


def skip_unless_it_runs(text: str) -> None:
    """With the reason: the library may be absent, or another release of it installed."""
    if reason := why_not_run(text):
        pytest.skip(reason)


def steady(text: str) -> str:
    """A text without what another processor may change: its speed, digits behind the fourth, error bars, widths."""
    text = re.sub(r"^note\[G907 .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"(?:±|scatter by|an error of|error of|width|off by) [\d.e+-]*\d", "~", text)
    text = re.sub(r"-?\d+\.\d+(?:e[+-]\d+)?", lambda number: f"{float(number[0]):.4g}", text)
    return " ".join(re.sub("─+", "─", text).split())


@pytest.mark.long
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_command_prints_what_the_page_shows(block: Block) -> None:
    skip_unless_it_runs(block.text)

    assert steady(block.text) == steady(replayed(block.text))


@pytest.mark.long
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_published_gradient_fails_and_its_correction_passes(command: str) -> None:
    """So says the exit code; that of t-SNE is right in the plane, and that of ahrs in the default mode."""
    skip_unless_it_runs(command)
    right = any(part in command for part in ("corrected", "tsne.py:plane", "--against normal"))

    assert (Exit.PASS if right else Exit.FAIL) == run(command)[1]


def test_every_wrong_gradient_has_its_correction() -> None:
    """Nineteen of each; smt's is a correction of the value."""
    judged = [re.search(r"(\S+\.py:\S+) .*--against (\S+)", command).groups() for command in COMMANDS]  # type: ignore[union-attr]
    corrected = {target.removesuffix("_corrected") for target, against in judged if "corrected" in target + against}

    assert len(corrected) == 19
    assert corrected == {target for target, against in judged if "corrected" not in target + against}


def test_every_file_of_the_folder_is_shown() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {*files_run("\n".join(COMMANDS))}


def test_the_page_names_the_releases_of_the_extra() -> None:
    text = IN_THE_WILD.read_text(encoding="utf-8").lower()

    assert [name for name, release in RELEASES.items() if f"{name} {release}" not in text] == []
