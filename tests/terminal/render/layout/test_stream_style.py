"""What a stream can show is found from the stream and the environment."""

# Signs that look like letters are what is tested.

import io
import os

import pytest

from gradcli.terminal.render.layout.stream_style import Look, as_text, look_of
from gradcli.terminal.render.layout.styled_lines import Row


class Terminal(io.StringIO):
    """A stream that says that it is a terminal, without a size."""

    def isatty(self) -> bool:
        return True


def test_a_pipe_is_unlimited_and_plain_and_a_terminal_of_unknown_size_has_80_columns() -> None:
    assert look_of(io.StringIO(), environ={}) == Look(width=None, coloured=False, unicode=True, terminal=False)
    assert look_of(Terminal(), environ={}) == Look(width=80, coloured=True, unicode=True, terminal=True)
    assert look_of(io.StringIO(), environ={"COLUMNS": "100"}).width == 100


def test_a_terminal_tells_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((132, 50)))
    monkeypatch.setattr(Terminal, "fileno", lambda _: 1)

    assert look_of(Terminal(), environ={}).width == 132


@pytest.mark.parametrize(
    ("expected", "width", "environ"),
    [
        (100, None, {"COLUMNS": "100"}),
        (60, 60, {"COLUMNS": "100"}),
        (80, None, {"COLUMNS": ""}),
        (80, None, {"COLUMNS": "0"}),
        (80, None, {"COLUMNS": "wide"}),
    ],
)
def test_width_wins_over_columns(expected: int, width: int | None, environ: dict[str, str]) -> None:
    """The option wins over COLUMNS, which wins over the terminal; nonsense in COLUMNS is ignored."""
    assert look_of(Terminal(), width, environ).width == expected


@pytest.mark.parametrize(
    ("expected", "stream", "environ"),
    [
        (True, Terminal(), {"TERM": "xterm"}),
        (False, Terminal(), {"TERM": "dumb"}),
        (False, Terminal(), {"NO_COLOR": "1"}),
        (True, Terminal(), {"NO_COLOR": ""}),
        (True, io.StringIO(), {"FORCE_COLOR": "1"}),
        (True, Terminal(), {"FORCE_COLOR": "1", "TERM": "dumb"}),
        (False, io.StringIO(), {"FORCE_COLOR": "0"}),
        (False, Terminal(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}),
    ],
)
def test_colour(expected: bool, stream: io.StringIO, environ: dict[str, str]) -> None:
    """NO_COLOR forbids, FORCE_COLOR commands, else terminals that are not dumb are coloured."""
    assert look_of(stream, environ=environ).coloured == expected


@pytest.mark.parametrize(("expected", "encoding"), [(True, "utf-8"), (False, "ascii"), (False, "cp1252"), (False, "?")])
def test_signs_need_an_encoding(expected: bool, encoding: str) -> None:
    """Signs beyond ASCII are written where the encoding has all of them."""

    class Stream(io.StringIO):
        pass

    stream = Stream()
    Stream.encoding = encoding  # type: ignore[misc,assignment]

    assert look_of(stream, environ={}).unicode == expected


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_a_missing_or_closed_stream_is_no_terminal(stream: io.StringIO | None) -> None:
    if stream:
        stream.close()

    assert not look_of(stream, environ={}).terminal


@pytest.mark.parametrize(
    ("piece", "look", "expected"),
    [
        (("bold  ", "gradcli.title"), Look(), "bold\n"),  # no escape sequence, and no spaces at the end of a line
        (("bold", "gradcli.title"), Look(coloured=True), "\x1b[1mbold\x1b[0m\n"),
        (("1 ± 2 … ∂ ×", ""), Look(unicode=False), "1 +- 2 ... d x\n"),
    ],
)
def test_text(piece: tuple[str, str], look: Look, expected: str) -> None:
    assert as_text(Row([piece]), look) == expected


def test_width_holds_on_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long line stays whole where TERM is dumb: rich would draw 80 columns there."""
    monkeypatch.setenv("TERM", "dumb")

    assert as_text(Row([("x" * 200, "")]), Look(terminal=True, coloured=True, width=300)) == "x" * 200 + "\n"
