"""Drawings are lines of styled pieces, and renderables of rich."""

import io

import pytest
from rich.console import Console

from gradcli.terminal.render.layout.styled_lines import Drawing, Row, Stack, line


def test_a_stack_is_its_parts() -> None:
    """Drawings one below the other are all their lines."""
    first, second = [("a", "")], [("b", "gradcli.title"), ("c", "")]

    assert [first, second] == list(Stack(Row(first), Stack(Row(second))).lines(80, in_ascii=False))


def test_rich_can_print_a_drawing() -> None:
    """Any console of rich prints a drawing, also one that does not know our styles."""
    paper = io.StringIO()
    Console(file=paper, width=40).print(Row([("a", "gradcli.title"), ("b", "")]))

    assert paper.getvalue() == "ab\n"


def test_a_drawing_has_lines() -> None:
    with pytest.raises(NotImplementedError):
        Drawing().lines(80, in_ascii=False)


def test_line_is_never_broken() -> None:
    """A line of pieces is one line, however long."""
    assert line("a" * 500, ("b\nc", "gradcli.title")).pieces == [("a" * 500, ""), ("b c", "gradcli.title")]
