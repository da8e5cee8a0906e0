"""Text is as wide as its columns; it wraps between words only, and not in a pipe."""

import pytest

from gradcli.terminal.render.layout import wrapped_text


def test_wrapped_breaks_between_words() -> None:
    """Prose is broken between words, a long word stays whole."""
    assert wrapped_text.wrapped("one two 0.12345678901234567 three", 8) == ["one two", "0.12345678901234567", "three"]


def test_wrapped_without_a_width() -> None:
    assert wrapped_text.wrapped("one two\nthree", None, "  ") == ["  one two", "  three"]


def test_wrapped_keeps_empty_lines() -> None:
    assert wrapped_text.wrapped("one\n\ntwo", 10) == ["one", "", "two"]


@pytest.mark.parametrize(
    ("width", "text"), [(3, "abc"), (1, "é"), (1, "e\N{COMBINING ACUTE ACCENT}"), (4, "数値"), (0, "")]
)
def test_width_in_columns(width: int, text: str) -> None:
    """A wide character takes two columns, a combining one none."""
    assert width == wrapped_text.width_of(text)
