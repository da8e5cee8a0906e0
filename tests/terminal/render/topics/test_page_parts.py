"""A page of help is drawn for the width there is, and for a readable one where there is more."""

from gradcli.terminal.render import Look, as_text
from gradcli.terminal.render.topics.page_parts import Examples, Grid, Page, Terms, view

PAGE = Page(
    "A title",
    "A sentence that is long enough to be broken at a narrow width.",
    Examples("gradcli grad 'x' --at 1"),
    Terms(("a", "one"), ("long", "a meaning that is long enough to be broken")),
    Grid(("", "ours"), (("abs", "0"), ("relu", "0.5"))),
)

NARROW = """\
A title

A sentence that is long
enough to be broken at a
narrow width.

  gradcli grad 'x' --at 1

  a     one
  long  a meaning that is
        long enough to be
        broken

      ours
────  ────
abs   0
relu  0.5
"""


def test_a_page() -> None:
    """Prose and meanings are broken between words, examples and tables are not."""
    assert as_text(view(PAGE, Look(width=26)), Look(width=26)) == NARROW


def test_prose_stays_readable_in_a_pipe() -> None:
    page = Page(
        "A title",
        "word " * 100,
    )

    assert max(map(len, as_text(view(page, Look()), Look()).splitlines())) <= 80


def test_meanings_below_long_terms() -> None:
    page = Page(
        "A title",
        Terms(("a rather long term", "its meaning")),
    )

    assert as_text(view(page, Look(width=24)), Look(width=24)) == "A title\n\n  a rather long term\n    its meaning\n"


def test_a_narrow_grid() -> None:
    """Where not even the first column fits, each row is a block, whose cells are broken between words."""
    page = Page(
        "A title",
        Grid(("", "ours"), (("equal eigenvalues of a matrix", "the vectors that LAPACK returns"),)),
    )

    assert as_text(view(page, Look(width=24)), Look(width=24)).splitlines()[2:] == [
        "      equal eigenvalues",
        "      of a matrix",
        "ours  the vectors that",
        "      LAPACK returns",
    ]
