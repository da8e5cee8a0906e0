"""`gradcli explain`: a pipe, and what the transcripts of the command do not show."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gradcli import queries
from gradcli.errors import UsageError
from gradcli.shared.records.explanations import Addition, Explanation, Scope, Statement
from gradcli.terminal.render import Look, record_text
from gradcli.terminal.render.layout.stream_style import as_text
from gradcli.terminal.render.sweeps.aligned_sums import Headline, Listing, Sum
from gradcli.terminal.render.sweeps.terminal_lines import numbered_names
from tests.queries.conftest import folder, program
from tests.terminal.render import samples

__all__ = ["folder", "program"]


def drawn(*parts: Headline | Sum, width: int = 80) -> list[str]:
    lines = Listing(parts).lines(width, False)
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def test_numbers_below_a_long_term() -> None:
    short, long = (Sum("", "s_x", term, 5.0, 2.0, 3.0) for term in ("y * s_p", "cos(x) * " * 5 + "s_p"))

    assert [
        "s_x += y * s_p  5.0 = 2.0 + 3.0",
        "s_x += cos(x) * cos(x) * cos(x) * cos(x) * cos(x) * s_p",
        "                5.0 = 2.0 + 3.0",
    ] == drawn(short, long)


def test_numbers_have_six_digits() -> None:
    rounded = Sum("  ", "s_x", "y * s_p", 0.15495899003013724, 0.6550407510131986, -0.5000817609830613)
    cancelled = Sum("  ", "s_x", "s_p", 0.0005, 0.6550407510131986, -0.6545407510131986)

    assert drawn(rounded) == ["  s_x += y * s_p  0.154959 = 0.655041 - 0.500082"]
    assert drawn(cancelled, width=52) == ["  s_x += s_p", "    0.0005 = 0.6550407510131986 - 0.6545407510131986"]


def test_an_array() -> None:
    """A short sum of arrays is whole; of a long one what came out is shown."""
    short, long = ([float(n) for n in range(count)] for count in (2, 6))

    assert ["s_x += 1  [0.0, 1.0] = [0.0, 0.5] + [0.0, 0.5]"] == drawn(
        Sum("", "s_x", "1", short, [0.0, 0.5], [0.0, 0.5])
    )
    assert drawn(Sum("", "s_x", "1", long, long, long)) == ["s_x += 1  [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]"]


def test_what_was_nothing_before() -> None:
    assert ["s_x += y  3.0", "s_v += y  [3.0, 0.0]"] == drawn(
        Sum("", "s_x", "y", 3.0, 0.0, 3.0), Sum("", "s_v", "y", [3.0, 0.0], [0.0, 0.0], [3.0, 0.0])
    )


def scope(kind: str, parent: int | None = None, **how: Any) -> Scope:
    """A scope of a record: calls are in line 2, of `g`; loops have their heads in line 7."""
    line, source = (2, "return g(x)") if kind == "call" else (7, "for v in x:")
    return Scope(kind, samples.OWN_FILE, line, source, parent=parent, **how)


def within(*scopes: Scope, lines: Sequence[tuple[int, int | None]]) -> Explanation:
    """A record of statements `y = x`, each with its line and its scope, the last one first."""
    statements = tuple(
        Statement(
            index, f"y#{index}", f"s_y#{index}", "x", 1.0, 1.0, samples.OWN_FILE, line, "y = x",
            (Addition(0, "s_x", f"s_y#{index}", 1.0, 0.0, float(index)),), place,
        )
        for index, (line, place) in reversed([*enumerate(lines, 1)])
    )  # fmt: skip
    return samples.EXPLANATION.changed(statements=statements, scopes=scopes, gradient={"x": 1.0})


CALLED = """\
f.py:2  return g(x)
  in g(x, n=3)

  f.py:4  y = x  → y#1 = 1.0
    s_x += s_y#1  1.0
"""

RECURSIVE = """\
  in g(), call 1 of 3

  f.py:4  y = x  → y#3 = 1.0
    s_x += s_y#3  3.0

    ×2 calls of g inside (--expand shows all); after all of them: s_x = 1.0
"""

ALIKE = """\
  in g(), call 4 of 4

  f.py:4  y = x  → y#4 = 1.0
    s_x += s_y#4  4.0

  ×4 calls of g like this (--expand shows all); after all of them: s_x = 1.0
"""


def test_calls() -> None:
    """Each below its line and indented; calls of a function by itself, and calls that are alike, are folded."""
    call = scope("call", name="g", number=1, of=1, arguments={"x": "x", "n": "3"})
    inner = [scope("call", [None, 0, 1][n], name="g", number=n + 1, of=3) for n in range(3)]
    alike = [scope("call", name="g", number=n + 1, of=4) for n in range(4)]

    assert CALLED in record_text(within(call, lines=[(4, 0)]), Look())
    assert RECURSIVE in record_text(within(*inner, lines=[(4, 2), (4, 1), (4, 0)]), Look())
    assert ALIKE in record_text(within(*alike, lines=[(4, 0), (4, 1), (4, 2), (4, 3)]), Look())


def test_calls_that_take_turns() -> None:
    """One of each function is shown; what the lines between add is summed up too."""
    turns = [scope("call", name="gh"[n % 2], number=n // 2 + 1, of=3) for n in range(6)]
    lines = [(4, 0), (9, None), *((4, n) for n in range(1, 6))]
    text = record_text(within(*turns, lines=lines), Look())

    assert ["in h(), call 3 of 3", "in g(), call 3 of 3"] == [
        line.strip() for line in text.splitlines() if line.strip().startswith("in ")
    ]
    assert "×6 calls of h and g like this" in text
    assert "f.py:9" not in text


def test_calls_expanded() -> None:
    """All of them, as deep as they are, which is deeper than Python calls itself."""
    deep = [scope("call", n - 1 if n else None, name="g", number=n + 1, of=1100) for n in range(1100)]
    text = record_text(within(*deep, lines=[(4, 1099 - n) for n in range(1100)]), Look(), expand=True)

    assert text.count("in g(), call ") == 1100
    assert "inside" not in text


def test_an_iteration() -> None:
    """The one that is asked for; one that has no part is said to have none, and one that is not there is refused."""
    scopes = scope("loop", of=3), *(scope("iteration", 0, number=n) for n in (2, 3))
    record = within(*scopes, lines=[(8, 1), (8, 2)])

    assert "  3 iterations, iteration 1 passes nothing on to x\n" in record_text(record, Look())
    assert "  iteration 2 of 3, iteration 1 passes nothing on to x (--iteration 3, --expand)\n" in record_text(
        record, Look(), iteration=(2,)
    )
    assert "  iteration 1 of 3 passes nothing on to x\n" in record_text(record, Look(), iteration=(1,))
    with pytest.raises(UsageError, match="There is no iteration 4: the longest loop here has 3 iterations"):
        record_text(record, Look(), iteration=(4,))
    with pytest.raises(UsageError, match="there is no loop here"):
        record_text(samples.EXPLANATION, Look(), iteration=(1,))


def test_a_headline() -> None:
    """The values are left out where they do not fit, and a long line stands below its place."""
    head = Headline("", "f.py:3", "y = x * x * x", "8.0")

    assert drawn(head) == ["f.py:3  y = x * x * x  → 8.0"]
    assert drawn(head, width=24) == ["f.py:3  y = x * x * x"]
    assert drawn(head, width=16) == ["f.py:3", "y = x * x * x"]


LONG = """\
s_y += conj(where(y == 0, 0, modulus(y)
  / y)) * (2 * modulus(y) * s_power)
  [0j, -4.000000000000001+5j,
  -5.000000000000001+0j, 0j]
"""


def test_long_terms_and_arrays_break_between_words_and_numbers() -> None:
    """No number is broken in two where the line ends."""
    term = "conj(where(y == 0, 0, modulus(y) / y)) * (2 * modulus(y) * s_power)"
    numbers = [0j, -4.000000000000001 + 5j, -5.000000000000001 + 0j, 0j]
    listing = Listing([Sum("", "s_y", term, numbers, numbers, numbers)])

    assert as_text(listing, Look(width=40)) == LONG


def explained(term: str, **operands: Any) -> str:
    """The page of an explanation with a term, and the operands in it."""
    additions = (Addition(0, "s_x", term, 1.0, 0.0, 1.0),)
    statement = Statement(1, "y", "s_y", "inv(x)", 1.0, 1.0, samples.FILE, 3, "y = inv(x)", additions)
    return record_text(samples.EXPLANATION.changed(statements=(statement,), operands=operands), Look())


def test_what_is_no_function_of_numpys_is_explained() -> None:
    """A product of gradcli's; a sensitivity to a complex number has a convention."""
    text = explained("real(conj(z) * vjp(linalg.svd, x)[1](s_y)[0])")

    assert "\nvjp(f, x)[1](s)[0]: s times the Jacobian of f at x, by gradcli.vjp\n" in text
    assert "\nconj: the sensitivity to a complex number is df/dRe + i df/dIm\n" in text


def test_constants_without_a_name_are_shown() -> None:
    text = explained("%c1 * s_y + %c1", **{"%c1": [1.0, 2.0], "%c2": [3.0], "s_y": 2.0})

    assert "\n%c1 = [1.0, 2.0]\n" in text
    assert "%c2" not in text


@pytest.mark.parametrize(("body", "legend"), [
    ("    y = x * x\n    y = y * x\n    return y * y\n", "y#2 is the second y"),
    ("    for _ in range(3):\n        x = x * x\n    return x * x\n", "x#3 is the x computed in iteration 3"),
    ("    return g(x) * g(x + 1)\n", "g#2 is the result of call 2 of g"),
    ("    h = x * 2\n    h = g(h)\n    return g(h)\n", "g.h#2 is the h computed in call 2 of g"),
    ("    y = x * 3\n    return y * y\n", ""),
])  # fmt: skip
def test_the_numbers_of_names_are_explained(program: Callable[[str], str], body: str, legend: str) -> None:
    text = f"def g(z):\n    h = z * 3\n    return h * z\n\ndef f(x):\n{body}"

    record = queries.explain(program(text), "2")

    assert numbered_names(record, record.statements) == legend
