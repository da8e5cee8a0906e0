"""The line editor: key bindings, completion and the surroundings of the text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_completions, has_selection, is_searching
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.shortcuts import CompleteStyle

from gradcli.shared.regular_files import special_kind
from gradcli.terminal.render.layout.stream_style import in_colour
from gradcli.terminal.repl.completion import Suggestion, suggestions
from gradcli.terminal.repl.input_blocks import INDENT, entered, is_open, margin_after, may_begin
from gradcli.terminal.repl.session import Session
from gradcli.terminal.repl.settings_file import history_path
from gradcli.terminal.repl.terminal.syntax_colours import STYLE, Words
from gradcli.terminal.repl.terminal.toolbar import Toolbar

MORE = ". "


def editor(session: Session, toolbar: Toolbar) -> PromptSession[str]:
    """The editor of a session."""
    coloured = in_colour(sys.stdout.isatty(), os.environ)
    keyboard: PromptSession[str] = PromptSession(
        [("class:prompt", "> ")],
        multiline=True,
        prompt_continuation=lambda width, number, wrapped: MORE.rjust(width),
        key_bindings=keys(),
        lexer=Words(session),
        style=STYLE,
        color_depth=None if coloured else ColorDepth.DEPTH_1_BIT,
        history=BlockHistory(history_path()),
        auto_suggest=AutoSuggestFromHistory() if coloured else None,  # in colours only: otherwise it looks typed
        completer=Suggested(session),
        complete_while_typing=False,
        complete_style=CompleteStyle.COLUMN,
        enable_history_search=True,
        enable_open_in_editor=True,
        tempfile_suffix=".gradcli",
        enable_suspend=True,
        bottom_toolbar=lambda: [("class:bottom-toolbar.text", toolbar.text(get_app().current_buffer.text))],
        reserve_space_for_menu=4,
    )
    accept = keyboard.default_buffer.accept_handler

    def accepted(buffer: Buffer) -> bool:
        """Accept the text; erase it if it holds several lines, which are shown again with their answers."""
        keyboard.app.erase_when_done = len(entered(buffer.text)) > 1
        return accept is not None and accept(buffer)

    keyboard.default_buffer.accept_handler = accepted
    toolbar.shown = keyboard.app.invalidate
    keyboard.app.after_render += lambda _: toolbar.start()
    return keyboard


def keys() -> KeyBindings:
    """The key bindings: Enter runs a complete text or accepts a chosen completion, and Alt-Enter adds a line.

    During a history search, Enter is left to prompt_toolkit, which accepts the line found.
    """
    bindings = KeyBindings()
    within_margin = Condition(lambda: is_within_margin(get_app().current_buffer.document))
    chosen = Condition(lambda: bool((state := get_app().current_buffer.complete_state) and state.current_completion))

    @bindings.add("enter", filter=has_completions & chosen)
    def take(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @bindings.add("enter", filter=~(has_completions & chosen) & ~is_searching)
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_open(buffer.text):
            next_line(buffer)
        else:
            buffer.validate_and_handle()

    @bindings.add("tab", filter=within_margin)
    def deeper(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(INDENT)

    @bindings.add("backspace", filter=within_margin & ~has_selection)
    def less_deep(event: KeyPressEvent) -> None:
        before = len(event.current_buffer.document.current_line_before_cursor)
        if before:
            event.current_buffer.delete_before_cursor((before - 1) % len(INDENT) + 1)
        else:
            event.current_buffer.delete_before_cursor()

    @bindings.add("escape", "enter")
    def another_line(event: KeyPressEvent) -> None:
        next_line(event.current_buffer)

    return bindings


def next_line(buffer: Buffer) -> None:
    """Start a new line with the indentation for the text before it."""
    buffer.insert_text("\n" + margin_after(buffer.document.text_before_cursor))


def is_within_margin(document: Document) -> bool:
    """Whether the cursor is in the indentation of a line in a function."""
    return may_begin(document.text) and "\n" in document.text and not document.current_line_before_cursor.strip()


class Suggested(Completer):
    """The session's completions for prompt_toolkit."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        for suggestion in suggestions(document.text, document.cursor_position, self.session):
            yield completion(suggestion, document.cursor_position, at_end=not document.text_after_cursor)


def completion(suggestion: Suggestion, cursor: int, at_end: bool) -> Completion:
    """A completion for the menu; an option at the end of the line is followed by a space."""
    text = suggestion.text + (" " if at_end and suggestion.kind == "option" else "")
    start = suggestion.start - cursor
    return Completion(text, start, display=suggestion.text, display_meta=suggestion.meaning or suggestion.kind)


class BlockHistory(FileHistory):
    """Input blocks in a file that only its owner may read.

    If the file cannot be read or written, the session has its own lines only.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path
        self.last = ""

    def load_history_strings(self) -> Iterable[str]:
        """The blocks in the file, latest first."""
        entries: list[str] = []
        with suppress(OSError):
            entries = [] if special_kind(self.path) else list(super().load_history_strings())
        self.last = self.last or next(iter(entries), "")
        return entries

    def store_string(self, string: str) -> None:
        """Append a block, unless it equals the last one."""
        string = string.rstrip("\n")  # a paste may end with a newline
        if string == self.last or not string.strip():
            return
        self.last = string
        if special_kind(self.path):
            return
        with suppress(OSError):
            os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600))
            super().store_string(string)
