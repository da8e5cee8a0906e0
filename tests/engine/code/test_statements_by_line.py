"""Statements and loops by line."""

from pathlib import Path

from gradcli.engine.code.statements_by_line import SourceLines, source_lines

TEXT = """\
def f(x):
    total = (
        x * 2
        + g(x),
    )
    for i, v in enumerate(
        total,
    ):
        total += v
        while True:
            break
    else:
        pass
    for i in range(3): x = x * 2
    return total
"""


def of_text(path: Path) -> SourceLines:
    (path / "f.py").write_text(TEXT)
    return source_lines(str(path / "f.py"))


def test_statements_of_several_lines(tmp_path: Path) -> None:
    """They begin at their first line and are told in one; a head ends where its body begins."""
    lines = of_text(tmp_path)

    assert [lines.first(line) for line in (2, 4, 5, 6, 8, 9)] == [2, 2, 2, 6, 6, 9]
    assert lines.text(2) == "total = (x * 2 + g(x))"
    assert lines.text(6) == "for i, v in enumerate(total):"
    assert lines.text(15) == "return total"


def test_loops(tmp_path: Path) -> None:
    """The outermost first; what runs after a loop is no part of it."""
    lines = of_text(tmp_path)

    assert [tuple(loop) for loop in lines.around(11)] == [(6, 9, 11, False), (10, 11, 11, True)]
    assert list(lines.around(13)) == []
    assert [tuple(loop) for loop in lines.around(14)] == [(14, 14, 14, False)]


def test_a_file_that_is_not_there() -> None:
    lines = source_lines("nowhere.py")

    assert (lines.first(7), lines.text(7), list(lines.around(7))) == (7, "", [])


def test_the_function_around_a_line(tmp_path: Path) -> None:
    (tmp_path / "g.py").write_text("A = (\n    1,\n)\n\ndef f(x):\n    def g(y):\n        return y\n    return g(x)\n")
    lines = source_lines(str(tmp_path / "g.py"))

    assert [lines.function(line) for line in (6, 7, 2)] == [(5, 8), (5, 8), (1, 3)]
    assert lines.lines(5, 6) == ("def f(x):", "    def g(y):")
