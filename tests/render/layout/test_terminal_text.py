"""Pieces of text: harmless, whole, broken between words only."""

# Signs that look like letters are what is tested.

from __future__ import annotations

import pytest

from gradcli.render.layout import terminal_text


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ("x + y", "x + y"),
        ("α → β", "α → β"),
        ("\\x1b[31mred", "\x1b[31mred"),
        ("a b", "a\tb"),
        ("a\nb", "a\nb"),
        ("a\\rb", "a\rb"),
        ("\\u202eabc", "\u202eabc"),
    ],
)
def test_clean_cannot_steer_a_terminal(expected: str, given: str) -> None:
    """Signs that steer a terminal are written out; a tabulator is a space, line ends stay."""
    assert expected == terminal_text.clean(given)


def test_line_is_never_broken() -> None:
    """A line of pieces is one line, however long."""
    assert [("a" * 500, ""), ("b c", "gradcli.title")] == terminal_text.line(
        "a" * 500, ("b\nc", "gradcli.title")
    ).pieces


def test_wrapped_breaks_between_words() -> None:
    """Prose is broken between words, a long word stays whole."""
    assert ["one two", "0.12345678901234567", "three"] == terminal_text.wrapped("one two 0.12345678901234567 three", 8)


def test_wrapped_without_a_width() -> None:
    """Without a width only the given line ends count."""
    assert ["  one two", "  three"] == terminal_text.wrapped("one two\nthree", None, "  ")


def test_wrapped_keeps_empty_lines() -> None:
    """An empty line between paragraphs stays."""
    assert ["one", "", "two"] == terminal_text.wrapped("one\n\ntwo", 10)
