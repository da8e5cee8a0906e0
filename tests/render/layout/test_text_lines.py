"""Lines of text: each stays one line, and prose wraps between words only."""

from __future__ import annotations

from gradcli.render.layout import text_lines


def test_line_is_never_broken() -> None:
    """A line of pieces is one line, however long."""
    assert [("a" * 500, ""), ("b c", "gradcli.title")] == text_lines.line("a" * 500, ("b\nc", "gradcli.title")).pieces


def test_wrapped_breaks_between_words() -> None:
    """Prose is broken between words, a long word stays whole."""
    assert ["one two", "0.12345678901234567", "three"] == text_lines.wrapped("one two 0.12345678901234567 three", 8)


def test_wrapped_without_a_width() -> None:
    """Without a width only the given line ends count."""
    assert ["  one two", "  three"] == text_lines.wrapped("one two\nthree", None, "  ")


def test_wrapped_keeps_empty_lines() -> None:
    """An empty line between paragraphs stays."""
    assert ["one", "", "two"] == text_lines.wrapped("one\n\ntwo", 10)
