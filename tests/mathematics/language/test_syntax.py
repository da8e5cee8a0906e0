"""The tree and the loop that walks it."""

import pytest

from gradcli.mathematics.language import Apply, Name, Number, input_names, parse
from gradcli.mathematics.language.syntax import fold, walk

pytestmark = pytest.mark.sampled(2)  # many like cases


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x", ("x",)),
        ("y*x + y", ("y", "x")),
        ("a if c else b", ("a", "c", "b")),
        ("2*pi*r", ("pi", "r")),
        ("1 + 2", ()),
        ("sin(z) < y < x", ("z", "y", "x")),
    ],
)
def test_input_names(text, names):
    """Names come in the order in which they were typed, each once."""
    assert names == input_names(parse(text))


def test_names_of_a_tree_without_columns():
    """A tree built by hand gives its names in the order of its arguments."""
    assert input_names(Apply("add", (Name("b"), Name("a")))) == ("b", "a")


def test_walk():
    tree = Apply("add", (Name("x"), Apply("neg", (Number(2),))))
    assert [tree, tree.arguments[0], tree.arguments[1], Number(2)] == list(walk(tree))


def test_fold_counts_the_leaves():
    """Every function sees the results of its arguments in their order."""
    assert "add(x, mul(2, y))" == fold(
        parse("x + 2*y"),
        lambda leaf: leaf.id if isinstance(leaf, Name) else str(leaf.value),
        lambda node, parts: f"{node.function}({', '.join(parts)})",
    )


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "<", " and ", " or "])
def test_five_thousand_terms(sign):
    text = sign.join(["x"] * 4000 if len(sign) > 1 else ["x"] * 5000)[:20_000]
    assert input_names(parse(text.rstrip("andor "))) == ("x",)


def test_frozen():
    with pytest.raises(AttributeError):
        Name("x").id = "y"
