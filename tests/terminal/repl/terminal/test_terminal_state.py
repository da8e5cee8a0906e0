"""What a signal restores of a terminal is all that the prompt and the screen change."""

import io
import re

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from gradcli.terminal.repl.terminal.terminal_state import PLAIN, WHOLE_SCREEN

CHANGES = {
    "enter_alternate_screen": "quit_alternate_screen",
    "enable_bracketed_paste": "disable_bracketed_paste",
    "enable_mouse_support": "disable_mouse_support",
    "disable_autowrap": "enable_autowrap",
    "hide_cursor": "show_cursor",
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_mode_is_restored(change):
    written = io.StringIO()
    output = Vt100_Output(written, lambda: Size(rows=24, columns=80))
    getattr(output, change)()
    output.flush()
    changed = modes(written.getvalue())
    getattr(output, CHANGES[change])()
    output.flush()

    assert changed
    wanted = {mode: state for mode, state in modes(written.getvalue()).items() if mode in changed}
    assert wanted.items() <= modes((PLAIN + WHOLE_SCREEN).decode()).items()


def modes(text):
    """The last state of each private mode that a text sets."""
    found = re.findall(r"\x1b\[\?([\d;]+)([hl])", text)
    return {mode: state for several, state in found for mode in several.split(";")}
