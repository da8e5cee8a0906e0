"""Long runs folded: what is alike shares a box, every node is in one box, and no path leads in a circle."""

from pathlib import Path

import pytest

from gradcli import queries
from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.terminal.render.graphs.diagram import diagram
from gradcli.terminal.render.graphs.folded_nodes import READABLE, folds

pytestmark = pytest.mark.sampled(3)  # many like cases

PROGRAMS = {
    "a long loop": ("x=1", "def f(x):\n    for k in range(99):\n        x = x + 0.1 * x\n    return x\n"),
    "loops in loops": (
        "x=1",
        "def f(x):\n    for k in range(9):\n        for j in range(k):\n            x = x + x / 9\n    return x * x\n",
    ),
    "calls": (
        "x=1",
        "def g(x):\n    return 2 * x + x * x\ndef f(x):\n    y = 0\n    for k in range(30):\n"
        "        y = y + g(x) * 0.1\n    return y\n",
    ),
    "recursion": ("x=1.01", "def f(x, n=7):\n    return x if not n else f(x, n - 1) * x + f(x, n - 1)\n"),
    "many inputs": ("x=[" + ",".join("1" for _ in range(99)) + "]", "def f(x):\n    return sum(v * v for v in x)\n"),
    "one long line": ("x=1", f"def f(x):\n    return {' + '.join(f'{n} * x' for n in range(99))}\n"),
}


def graph(name: str, folder: Path) -> TapeGraph:
    at, text = PROGRAMS[name]
    (folder / "p.py").write_text(text)
    return queries.tape_graph(f"{folder / 'p.py'}:f", at)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_long_run_is_readable(name: str, tmp_path: Path) -> None:
    """Every node is in one box, in order, and the result has one of its own."""
    record = graph(name, tmp_path)
    found = folds(record, record.nodes)

    assert len(found) <= READABLE < len(record.nodes)
    assert list(range(len(record.nodes))) == [n for fold in found for n in range(fold.first, fold.last + 1)]
    assert record.result in [fold.first for fold in found if fold.size == 1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_circle(name: str, tmp_path: Path) -> None:
    shown = diagram(graph(name, tmp_path))
    order = {box.key: place for place, box in enumerate(shown.boxes)}

    assert all(order[edge.tail] < order[edge.head] for edge in shown.edges)


def test_few_inputs_stay(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(
        "def f(a, b, c, d, e):\n    for k in range(99):\n        a = a * b + c * d * e\n    return a\n"
    )
    record = queries.tape_graph(f"{tmp_path / 'p.py'}:f", "1,1,1,1,1")

    assert [box.title for box in diagram(record).boxes if box.kind == "input"] == ["a", "b", "c", "d", "e"]


def test_expanded(tmp_path: Path) -> None:
    record = graph("a long loop", tmp_path)

    assert len(record.nodes) == len(folds(record, record.nodes, expand=True))


def test_the_first_and_the_last_iteration_stay(tmp_path: Path) -> None:
    record = graph("a long loop", tmp_path)
    labels = [fold.label for fold in folds(record, record.nodes) if fold.label]

    assert labels == ["iterations 2 to 98"]
