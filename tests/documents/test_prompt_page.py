"""docs/prompt.md says what stands below the prompt while a line is typed."""

import re

import pytest

from gradcli.terminal.repl.preview import preview
from tests.documents.shown import DOCS, new_session

ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|$", re.MULTILINE)


@pytest.mark.parametrize(("typed", "below"), ROW.findall((DOCS / "prompt.md").read_text(encoding="utf-8")))
def test_the_line_below_the_prompt(typed: str, below: str) -> None:
    with new_session() as running:
        for line in ("at x=3,y=2", "def norm(v): return np.sqrt(np.sum(v * v))"):
            running.run(line)

        assert below == preview(typed, running)
