"""The text of a partial times a sensitivity."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.explain import elementwise_terms
from gradcli.answers.explain.elementwise_terms import PartialText, product_text
from gradcli.answers.explain.shaped_terms import Term
from gradcli.mathematics.language.formula_text import ATOM, PRODUCT, SUM
from gradcli.terminal import render


@pytest.mark.parametrize(
    ("factor", "ct", "expected"),
    [
        (("2", ATOM), ("3 * x", PRODUCT), "2 * 3 * x"),
        (("2 * x", PRODUCT), ("sin(y) / y", PRODUCT), "2 * x * sin(y) / y"),
        (("2", ATOM), ("x + y", SUM), "2 * (x + y)"),
        (("2", ATOM), ("x @ y", PRODUCT), "2 * (x @ y)"),
        (("2", ATOM), ("x // y", PRODUCT), "2 * (x // y)"),
        (("a / x", PRODUCT), ("3 * s", PRODUCT), "a / x * (3 * s)"),
    ],
)
def test_the_brackets_of_a_product(factor, ct, expected):
    """A product in a product has none, unless an operation of another meaning or a division would be hard to read."""
    assert product_text(PartialText(factor, np.zeros(2)), Term(ct))[0] == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("2 * (3 * x) * y", "s_x += 3 * 2 * y"),
        ("4 * x * 5 * 6 * y", "s_x += 4 * 5 * 6 * y"),
        ("x * 4 * 5 - y", "s_x += 4 * 5"),
    ],
)
def test_the_constants_of_a_product(text, line):
    shown = render.record_text(queries.explain(text, "x=2,y=3"), render.Look())

    assert line in [each.partition("  ")[0] for each in map(str.strip, shown.splitlines())]


ROWS = {
    "products": "z = x * y\n        y = z * x * 2.0",
    "quotients": "z = x / (1.0 + y)\n        y = 3.0 / z / x",
    "powers": "z = x ** y\n        y = 0.5 ** z + z ** 3 + x ** 0.5",
    "negative factors": "z = -x * (1.0 - y)\n        y = -(z - 0.5) * -x",
    "functions": "z = math.sin(x) * math.exp(-y)\n        y = math.atan2(z, x) + math.log(x * x + 1.0)",
    "squares": "z = x * x\n        y = z * z / (2.0 * math.pi) + math.sqrt(z)",
    "remainders": "z = x % 3.0 * y\n        y = -(z % 2.0) * x + abs(y)",
    "conditions": "z = max(x, y) * 0.5\n        y = abs(z - x) * math.copysign(x, z)",
    "roots": "z = math.hypot(x, y)\n        y = math.tanh(z) * math.cbrt(x) + math.expm1(z / 9.0)",
    "steps within a line": "z = (x * y) * (x / y) - (x - y) * (x + y) / (x * x)\n        y = z / (1.0 + z * z)",
}


@pytest.mark.parametrize("body", ROWS.values(), ids=ROWS)
def test_a_partial_written_like_another_is_what_it_would_be_alone(body, tmp_path, monkeypatch):
    file = tmp_path / "rounds.py"
    file.write_text(f"import math\n\ndef f(x, y):\n    for _ in range(3):\n        {body}\n    return y\n", "utf-8")

    together = queries.explain(f"{file}:f", "x=1.3,y=0.7").statements
    monkeypatch.setattr(elementwise_terms, "_like_another", lambda *_: None)

    assert together == queries.explain(f"{file}:f", "x=1.3,y=0.7").statements


def test_partials_are_written_once_for_all_rounds_of_a_loop(tmp_path, monkeypatch):
    written = []

    def count(rounds):
        file = tmp_path / f"rounds{rounds}.py"
        code = f"import math\n\ndef f(x, y):\n    for _ in range({rounds}):\n        x, y = y, math.sin(x) * y / 3.0\n"
        file.write_text(f"{code}    return y\n", "utf-8")
        written.clear()
        queries.explain(f"{file}:f", "x=1.3,y=0.7")
        return len(written)

    folded = elementwise_terms._folded
    monkeypatch.setattr(elementwise_terms, "_folded", lambda *asked: written.append(asked) or folded(*asked))

    assert 0 < count(4) == count(40)
