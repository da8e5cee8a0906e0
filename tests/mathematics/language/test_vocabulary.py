"""The words of the language."""

import keyword

import pytest

from gradcli.errors import ExpressionError, RuleError
from gradcli.mathematics.language import Apply, Name, parse
from gradcli.mathematics.language.vocabulary import ALIASES, CONSTANTS, FUNCTIONS, canonical, declare, undeclare


@pytest.fixture
def softplus():
    """A function of the user's, for one test."""
    declare("softplus", 1)
    yield "softplus"
    undeclare("softplus")


def test_aliases_lead_to_functions():
    """Every other spelling stands for a function that is there."""
    assert set(ALIASES.values()) - set(FUNCTIONS) == set()


def test_no_word_has_two_meanings():
    """No word is at once a function, another spelling or a constant, and none is a keyword."""
    words = [*FUNCTIONS, *ALIASES, *CONSTANTS]
    assert len(words) == len(set(words))
    assert not any(map(keyword.iskeyword, words))


@pytest.mark.parametrize(
    ("word", "name"), [("ln", "log"), ("arctan2", "atan2"), ("max", "maximum"), ("sin", "sin"), ("psi", "digamma")]
)
def test_canonical(word, name):
    assert name == canonical(word)


def test_no_function():
    """A word that names no function has no canonical name."""
    assert canonical("x") is None


def test_declared_function_parses(softplus):
    assert Apply("softplus", (Name("x", 9, 10),), 0, 11) == parse("softplus(x)")


def test_declared_arity_holds(softplus):
    """A declared function takes the declared number of arguments."""
    with pytest.raises(ExpressionError, match="takes 1 argument, not 2"):
        parse("softplus(x, y)")


def test_declared_anew(softplus):
    declare("softplus", 2)
    assert (2, 2) == FUNCTIONS["softplus"]


def test_undeclared_function_is_gone():
    declare("swish", 1)
    undeclare("swish")
    assert Name("swish", 0, 5) == parse("swish")


def test_ours_cannot_be_undeclared():
    undeclare("sin")
    assert (1, 1) == FUNCTIONS["sin"]


@pytest.mark.parametrize("name", ["sin", "ln", "pi", "2x", "lambda", "__class__", "a b", ""])
def test_declare_refuses(name):
    """A word with a meaning, or that is none, cannot be declared."""
    with pytest.raises(RuleError):
        declare(name, 1)
