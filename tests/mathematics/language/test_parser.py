"""Reading: the grammar is Python's."""

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import Apply, Name, Number, parse

X, Y = Name("x", 0, 1), Name("y", 4, 5)

BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.MatMult: "dot",
    ast.Pow: "pow",
    ast.And: "logical_and",
    ast.Or: "logical_or",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.UAdd: "pos",
    ast.USub: "neg",
    ast.Not: "logical_not",
}


def shape(tree):
    """The tree as nested tuples, without columns."""
    match tree:
        case Number(value):
            return value
        case Name(name):
            return name
    return (tree.function, *map(shape, tree.arguments))


def chain(function, parts):
    result = parts[0]
    for part in parts[1:]:
        result = (function, result, part)
    return result


def python_shape(node):
    """The same tuples from Python's own syntax tree."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, op=op, right=right):
            return (BINARY[type(op)], python_shape(left), python_shape(right))
        case ast.UnaryOp(op=op, operand=operand):
            return (BINARY[type(op)], python_shape(operand))
        case ast.BoolOp(op=op, values=values):
            return chain(BINARY[type(op)], [python_shape(value) for value in values])
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [python_shape(value) for value in (left, *others)]
            pairs = [(BINARY[type(op)], a, b) for op, a, b in zip(ops, values, values[1:], strict=False)]
            return chain("logical_and", pairs)
        case ast.IfExp(test=test, body=body, orelse=other):
            return ("where", python_shape(test), python_shape(body), python_shape(other))
        case ast.Call(func=ast.Name(id="hypot"), args=[a, b], keywords=[]):
            return ("hypot", python_shape(a), python_shape(b))
        case ast.List(elts=[_, *_] as items):
            return ("[]", *map(python_shape, items))
        case ast.Subscript(value=array, slice=ast.Tuple(elts=[_, *_] as indices)):
            return (f"[{', '.join(map(index, indices))}]", python_shape(array))
        case ast.Subscript(value=array, slice=place):
            return (f"[{index(place)}]", python_shape(array))
    raise ValueError(node)


def index(node):
    """A whole number as the index of an element."""
    match node:
        case ast.Constant(value=int() as place):
            return str(place)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place)):
            return str(-place)
    raise ValueError(node)


WORDS = "x y 2 .5 3e2 + - * / // % @ ** ( ) < <= > >= == != and or not if else hypot( ,".split()


@pytest.mark.long
@settings(max_examples=200)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join))
def test_every_sequence_of_words_is_read_as_python_reads_it(text):
    """What Python accepts and the language has, and only that, is accepted, with Python's tree."""
    try:
        expected = python_shape(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):
        with pytest.raises(ExpressionError):
            parse(text)
    else:
        assert shape(parse(text)) == expected


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from("x 2 .5 + - * @ ** < and not if else [ ] [ ] [0] [-1] ,".split()), max_size=9).map(
        " ".join
    )
)
@example("[x, 2,][0]")
@example("- x [-1] ** 2 @ [2, x [0, 1]]")
def test_lists_and_elements_at_the_prompt_are_read_as_python_reads_them(text):
    """Indices are whole numbers, and no list is empty."""
    try:
        expected = python_shape(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):
        with pytest.raises(ExpressionError):
            parse(text, at_prompt=True)
    else:
        assert shape(parse(text, at_prompt=True)) == expected


def operators(inner):
    """Every form of expression, around the given ones, without any bracket."""
    signs = st.sampled_from("+ - * / // % @ ** < <= > >= == != and or".split())
    return st.one_of(
        st.tuples(inner, signs, inner).map(" ".join),
        st.tuples(st.sampled_from(["-", "+", "not "]), inner).map("".join),
        st.tuples(inner, inner, inner).map("{0[0]} if {0[1]} else {0[2]}".format),
        inner.map("({})".format),
        st.tuples(inner, inner).map("hypot({0[0]}, {0[1]})".format),
    )


@settings(max_examples=150)
@given(st.recursive(st.sampled_from(["x", "y", "2", "1.5"]), operators, max_leaves=12))
def test_precedence_is_python_s(text):
    """Long expressions group as Python groups them, or are refused where a chain stands within a chain."""
    try:
        expected = python_shape(ast.parse(text, mode="eval").body)
    except SyntaxError:
        with pytest.raises(ExpressionError):
            parse(text)
        return
    try:
        assert shape(parse(text)) == expected
    except ExpressionError as error:
        assert "chain" in error.message or "digits" in error.message  # noqa: PT017 - any other refusal is the fault


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x", X),
        ("2", Number(2, 0, 1)),
        ("2.5", Number(2.5, 0, 3)),
        ("1_000", Number(1000, 0, 5)),
        ("0xff", Number(255, 0, 4)),
        ("1e-3", Number(0.001, 0, 4)),
        ("x + y", Apply("add", (X, Y), 0, 5)),
        ("x ^ y", Apply("pow", (X, Y), 0, 5)),
        ("x < y", Apply("lt", (X, Y), 0, 5)),
        ("ln(x)", Apply("log", (Name("x", 3, 4),), 0, 5)),
        ("sin (x,)", Apply("sin", (Name("x", 5, 6),), 0, 8)),
        ("(\nx\n)", Name("x", 2, 3)),
    ],
)
def test_tree_with_columns(text, tree):
    """Trees have the columns of the text as typed."""
    assert tree == parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-x^2", ("neg", ("pow", "x", 2))),
        ("2^x^2", ("pow", 2, ("pow", "x", 2))),
        ("e^-x^2", ("pow", "e", ("neg", ("pow", "x", 2)))),
        ("2^-x*y", ("mul", ("pow", 2, ("neg", "x")), "y")),
        ("x ^ 2 ** y", ("pow", "x", ("pow", 2, "y"))),
        ("max(x, y, z)", ("maximum", ("maximum", "x", "y"), "z")),
        ("x < y <= z", ("logical_and", ("lt", "x", "y"), ("le", "y", "z"))),
        ("a if c else b", ("where", "c", "a", "b")),
        ("log(x, 2)", ("log", "x", 2)),
    ],
)
def test_grouping(text, expected):
    """The power sign binds as `**`, and what has no function of its own becomes others."""
    assert shape(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("(x + 1) * 2", (0, 11)),
        ("2 * (x + 1)", (0, 11)),
        ("äöü^2 + ß", (0, 9)),
        ("x^y^z", (0, 5)),
        (" -(x) ", (1, 5)),
    ],
)
def test_columns_include_brackets(text, columns):
    """An operation reaches from its first bracket to its last, in characters and not in bytes."""
    tree = parse(text)
    assert columns == (tree.start, tree.end)


def test_names_are_normalised_as_python_s():
    """A name in mathematical letters is the plain name, with its own columns."""
    assert Name("x", 0, 1) == parse("\N{MATHEMATICAL ITALIC SMALL X}")


@pytest.mark.parametrize("letter", ["π", "\N{MATHEMATICAL ITALIC SMALL PI}"])
def test_the_letter_is_the_number(letter):
    assert Name("pi", 0, 1) == parse(letter)
    assert Name("πx", 0, 2) == parse(f"{letter}x")


def test_decomposed_letters_are_one_name():
    """A letter and its accent typed as two characters are one name of one letter."""
    assert Name("é", 0, 2) == parse("e\u0301")


@pytest.mark.parametrize("count", [99, 100])
def test_a_hundred_brackets(count):
    assert Name("x", count, count + 1) == parse("(" * count + "x" + ")" * count)


def test_operands_of_a_chain_are_shared():
    """The middle of a chain stands once in memory, in two comparisons."""
    first, second = parse("x < sin(y) < z").arguments
    assert first.arguments[1] is second.arguments[0]
