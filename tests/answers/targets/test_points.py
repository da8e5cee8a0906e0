"""Points as text: which value goes to which parameter, and what does not fit."""

import json

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.targets import parse_point, resolve, select
from gradcli.answers.targets.points import as_point
from gradcli.errors import Exit, ExpressionError, PointError
from gradcli.shared.pytree import as_typed
from tests.answers.targets.conftest import target_of


def one(x):
    return x


def two(x, y):
    return x, y


def four(a, b, c, d):
    return a * b * c * d


def optional(x, k=3):
    return x * k


def settings(x, a=1.0, b=100.0):
    return x * a * b


def plain(point):
    """The point with lists for arrays, so that it can be compared."""
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in point.items()}


def point_of(text, function):
    """The point that a text gives for a function, with lists for arrays."""
    return plain(parse_point(text, target_of(function)))


@pytest.mark.parametrize(
    ("text", "function", "expected"),
    [
        ("2", one, {"x": 2.0}),
        ("1,2,3", one, {"x": [1.0, 2.0, 3.0]}),
        ("[3]", one, {"x": [3.0]}),
        ("[[1,2],[3,4]]", one, {"x": [[1.0, 2.0], [3.0, 4.0]]}),
        ("x=2", one, {"x": 2.0}),
        ("x=[1,2]", one, {"x": [1.0, 2.0]}),
        ("x[0]=1,x[1]=2", one, {"x": [1.0, 2.0]}),
        ("x[1]=2,y=3,x[0]=1", two, {"x": [1.0, 2.0], "y": 3.0}),
        ("y[0]=[1,2],y[1]=[3,4],x[0]=5", two, {"x": [5.0], "y": [[1.0, 2.0], [3.0, 4.0]]}),
        ('{"x": [1, 2]}', one, {"x": [1.0, 2.0]}),
        ("{x: 1}", one, {"x": 1.0}),
        ("{'x': 1}", one, {"x": 1.0}),
        ("1,2", two, {"x": 1.0, "y": 2.0}),
        ("1,[2,3]", two, {"x": 1.0, "y": [2.0, 3.0]}),
        ("[1],[2,3]", two, {"x": [1.0], "y": [2.0, 3.0]}),
        ("y=3,x=[1,2]", two, {"x": [1.0, 2.0], "y": 3.0}),
        ('{"y": 3, "x": [1, 2]}', two, {"x": [1.0, 2.0], "y": 3.0}),
        (" x = [ 1 , 2 ] , y = 3 ", two, {"x": [1.0, 2.0], "y": 3.0}),
        ("1,y=2", two, {"x": 1.0, "y": 2.0}),
        ("1,2,3,4", four, {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}),
        ("2", optional, {"x": 2.0}),
        ("2,k=4", optional, {"x": 2.0, "k": 4.0}),
        ("k=4,x=2", optional, {"x": 2.0, "k": 4.0}),
        ("1,2", optional, {"x": 1.0, "k": 2.0}),
        ("[1,2]", optional, {"x": [1.0, 2.0]}),
        ("1,2,3", optional, {"x": [1.0, 2.0, 3.0]}),
        ("1,2", settings, {"x": [1.0, 2.0]}),
        ("1,2,3", settings, {"x": 1.0, "a": 2.0, "b": 3.0}),
        ("1,2", lambda x, how="sum": x, {"x": [1.0, 2.0]}),
        ("1,2,3", lambda x, y, k=1, m=2: x, {"x": 1.0, "y": 2.0, "k": 3.0}),
        ("3", lambda x=1: x, {"x": 3.0}),
        ("3,4", lambda x=1, y=2: x, {"x": 3.0, "y": 4.0}),
        ("y=4", lambda x=1, y=2: x, {"y": 4.0}),
        ('{"x": {"w": [1, 2], "b": 0}}', one, {"x": {"w": [1.0, 2.0], "b": 0.0}}),
        ('x={"w": 1},y=2', two, {"x": {"w": 1.0}, "y": 2.0}),
        ('{"w": 1},2', two, {"x": {"w": 1.0}, "y": 2.0}),
    ],
)
def test_values_go_to_parameters(text, function, expected):
    """By name, in order, or all numbers to a single parameter; in the order of the parameters."""
    point = point_of(text, function)

    assert list(expected.items()) == [
        (name, {key: np.asarray(part).tolist() for key, part in value.items()} if isinstance(value, dict) else value)
        for name, value in point.items()
    ]


@pytest.mark.parametrize(
    ("text", "function", "expected"),
    [
        ("1,2", optional, "the numbers are read as x=1, k=2; for an array type --at [1,2]"),
        ("1,2", settings, "the numbers are read as the array x; for separate numbers type --at x=1,a=2"),
    ],
)
def test_a_point_of_two_readings_says_which_was_taken(text, function, expected):
    """As an array of the only parameter without a default, or a number for each."""
    assert [("G416", expected)] == [
        (each.code, each.message) for each in parse_point(text, target_of(function)).findings
    ]


@pytest.mark.parametrize(
    ("text", "function"),
    [("1,2,3", optional), ("[1,2]", optional), ("2", optional), ("1,2", one), ("1,2", two), ("1,k=2", optional)],
)
def test_a_point_of_one_reading_says_nothing(text, function):
    assert parse_point(text, target_of(function)).findings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1", -1.0),
        ("+1", 1.0),
        ("1e-3", 1e-3),
        ("1E3", 1e3),
        ("1_000", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("007", 7.0),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("1e-400", 0.0),
        ("pi", np.pi),
        ("-pi", -np.pi),
        ("2*pi", 2 * np.pi),
        ("1/3", 1 / 3),
        ("2^-2", 0.25),
        ("7/2", 3.5),
        ("sqrt(2)", 2**0.5),
        ("max(1, 2)", 2.0),
        ("(1 + 2) * 3", 9.0),
        ("1 - 2", -1.0),
        ("1 + 3", 4.0),
        ("1 if 2 else 3", 1.0),
        ("( 2 )", 2.0),
        ("[1/2, max(1, 2)]", [0.5, 2.0]),
    ],
)
def test_a_number_has_many_spellings(text, expected):
    assert point_of(text, one) == {"x": expected}


def test_numbers_are_float64():
    assert parse_point("1,2", target_of(one))["x"].dtype == np.float64


def test_a_name_of_another_alphabet_is_normalised_as_python_does():
    assert point_of("\u00b5=1", lambda μ: μ) == {"\u03bc": 1.0}  # noqa: PLC2401 - the letter is what is tested


@pytest.mark.parametrize("text", ["1,[2]", "[1],[2]", "1,[2,3],4"])
def test_both_spellings_are_shown_for_one_parameter(text):

    def f4(side_lengths):
        return side_lengths

    with pytest.raises(PointError) as caught:
        parse_point(text, target_of(f4))

    hint = "f4 takes one parameter side_lengths: --at 3 for a number, --at 1,2,3,4 for an array."
    assert (hint, Exit.USAGE) == (caught.value.hint, caught.value.exit)


@pytest.mark.parametrize(
    ("text", "came"),
    [
        ("1", "one value came, 4 are needed"),
        ("1,2,3", "3 values came, 4 are needed"),
        ("1,2,3,4,5", "5 values came, 4 are needed"),
        ("[1,2,3,4]", "one value came, 4 are needed"),
    ],
)
def test_both_spellings_are_shown_for_several_parameters(text, came):
    with pytest.raises(PointError) as caught:
        parse_point(text, target_of(four))

    assert f"The point does not fit: {came}." == caught.value.message
    assert caught.value.hint == "f4 takes 4 parameters a, b, c, d: --at 1,2,3,4 or --at a=1,b=2,c=3,d=4."


def test_a_parameter_after_a_star_is_needed_too():

    def f(x, *, k):
        return x * k

    assert {"x": 1.0, "k": 2.0} == point_of("1,2", f) == point_of("1,k=2", f)
    with pytest.raises(PointError, match=r"f4 takes 2 parameters x, k: --at 1,2 or --at x=1,k=2."):
        point_of("1", f)


def beginning(value):
    """For pytest's ids, as some points are long."""
    return value[:40] if isinstance(value, str) else None


REFUSED = [
    (r"There is no input named 'x\[[012]\]'", one, ["x[0]=1,x[2]=2", "x[1]=1", "x[0]=1,x=[1,2]"]),
    (r"There is no input named 'z\[0\]'", one, ["z[0]=1"]),
    (r"There is no input named 'a'.\nThe only input is p. A dict is typed p={\"a\":…}.", lambda p: p["a"],
     ["a=2,b=3", '{"a": 2}']),
    ("takes any number of values: --at 1,2,3", lambda *args: args, [None]),
    (r"There is no point.\nf4 takes one parameter x: --at 3 for a number", one, [None]),
    ("f4 takes no parameters, so it has no gradient", lambda: 1, ["1"]),
    (r"There is no input named 'side_length'.\nDid you mean side_lengths\?", lambda side_lengths: side_lengths,
        ["side_length=1"]),
    ("The inputs are x, y", two, ["x=1,y=2,weight=3"]),
    (r"no value for y.\nf4 takes 2 parameters x, y: --at 1,2 or --at x=1,y=2", two, ["x=1", '{"x": 1}']),
    ("The point gives [xw] twice", two, ["x=1,y=2,x=3", '{"x": 1, "x": 2}', 'x={"w": 1, "w": 2},y=1']),
    ("3 values came, 1 is needed", two, ["1,2,3,y=2"]),
    (r"without a name comes after x(.|\n)*x=\[1,2\]", one, ["x=1,2"]),
    ("The point is empty", one, ["", "  ", "\n", "{}", "{ }"]),
    (r"The value of x(\[0\])? is empty", one, ["[]", "x=[]", "x={}", "[[]]", '{"x": []}']),
    ("A value is missing (at the end|in column)", one,
        ["1,", ",1", "1,,2", "x=", "x=,y=1", "[1,]", "[,1]", "x=[1,,2]", ","]),
    (r"The bracket . in column \d of the point is not closed.\nAdd", one,
        ["[1,2", "x=[1,[2]", "(1", "2*(3", "{x: 1", "[", "{", "sin(1,2"]),
    (r"no opening bracket for the one in column \d", one, ["1]", "[1]]", "1)", "1}", "[1)"]),
    (r"A comma is missing in column \d", one, ["[1][2]", "[1] 2"]),
    (r"The character . is not allowed in column \d", one, ["x:1", "x==1", "1=2", "2[1]", "x=y=1", "1{", "x=1 y=2"]),
    ("A name and a colon are missing", one, ["{1: 2}", "{x}", '{"x" 1}', '{"x": 1,}', "{x=1}"]),
    (r"A backslash has no meaning in column \d(.|\n)*A backslash is typed", one,
        [r'{"a\x": 1}', r"{'\u12': 1}", r'x={"\q": 1}']),
    ("A quote is not closed in column 2", one, ['["a']),
    (r"The value of x(\[1\])? is '.*abc', (a word|but 'abc' has no value); a number is needed", one,
        ["abc", "x=abc", "[1,abc]", "2*abc"]),
    ("--at @point.json", one, ["1," * 200_000]),
    ("value of x|is not allowed", one,
        ["1$", "[1,2x]", "__import__('os')", "x=os.system", "9**9**9**9", "0x", "1__0", "1e", "--", "'1' + '2'"]),
]  # fmt: skip
"""Messages, and the points that have them."""


@pytest.mark.parametrize(
    ("message", "function", "text"),
    [(message, function, text) for message, function, texts in REFUSED for text in texts],
    ids=beginning,
)
def test_a_point_that_is_refused(message, function, text):
    with pytest.raises((ExpressionError, PointError), match=message):
        parse_point(text, target_of(function))


KEYS = [
    *('a"b', "a'b", "a\\b", "a\nb", "a\tb", "a,b", "a=b", "a:b", "a[0]", "a]b", "{", "(", "#", "@x.json"),
    *("", " ", '"', "'", "\\", "\\n", '\\"', "true", "\ufb01", "\x1b", "\u2028"),
]


@pytest.mark.parametrize("key", KEYS)
def test_any_key_can_be_typed_as_it_is_printed(key):
    nested = {"w": [1.0, {key: 2.0}]}
    quoted = key.replace("\\", "\\\\").replace("'", "\\'")

    assert {"x": {key: 1.0}} == point_of(f"x={as_typed({key: 1.0}, str)}", one)
    assert {"x": nested, "y": 3.0} == point_of(f"x={as_typed(nested, str)}, y=3", two)
    assert {"x": {key: 1.0}} == point_of(json.dumps({"x": {key: 1.0}}), one)
    assert {"x": {key: 1.0}} == point_of(f"{{x: {{'{quoted}': 1}}}}", one)
    assert as_typed({key: 1.0}, str).isprintable()


def test_the_place_of_a_fault_in_a_value():
    with pytest.raises(ExpressionError) as caught:
        parse_point("[1, 2 + $]", target_of(one))

    assert (["2 + $", "    ^"], True) == (
        caught.value.excerpt(),
        caught.value.message.startswith("In the value of x[1]: "),
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("of 2,000,000 characters is too long; at most 200,000", "1," * 1_000_000),
        ("is nested deeper than 32", "[" * 100_000),
        (r"The bracket \( in column 1 of the point is not closed", "(" * 100_000),
        ("is nested deeper than 32", "{x:" * 50_000),
        ("The number '1+…1+' is too large: the largest float64", "1" * 100_000),
        ("A quote is not closed in column 1", '"\\' * 90_000),
        ("The character = is not allowed in column 4", "x=" * 90_000),
        ("In the value of x: The expression is nested deeper than 100", "-" * 19_999 + "1"),
    ],
    ids=beginning,
)
def test_a_huge_or_deep_point_is_refused(words, text):
    with pytest.raises((PointError, ExpressionError), match=words) as caught:
        parse_point(text, target_of(one))

    assert len(caught.value.message) < 200


def test_a_long_point_is_read():
    assert len(point_of(",".join(["1.5"] * 50_000), one)["x"]) == 50_000


def test_a_point_of_an_expression():
    assert plain(parse_point("1,[2,3]", resolve("y + sin(x)"))) == {"y": 1.0, "x": [2.0, 3.0]}


@pytest.mark.parametrize(("wrt", "expected"), [(None, ("x", "y", "z")), ("z, x", ("x", "z")), ("y", ("y",))])
def test_selected_inputs(wrt, expected):
    """All without names; spaces do not matter, and the order is that of the point."""
    assert select(wrt, ["x", "y", "z"]) == expected


def test_an_unknown_input_cannot_be_selected():
    with pytest.raises(PointError, match=r"no input named 'wieght'.\nDid you mean weight\?"):
        select("wieght", ["weight", "bias"])


@pytest.mark.parametrize("wrt", ["", "x,", ",", " "])
def test_a_missing_name_cannot_be_selected(wrt):
    with pytest.raises(PointError, match=r"Type --wrt x,y or some of these names"):
        select(wrt, ["x", "y"])


@pytest.mark.parametrize("text", ['{"a": 1}', "{}"])
def test_an_object_is_no_value_of_an_input(text, tmp_path):
    (tmp_path / "x.json").write_text(text)

    with pytest.raises(PointError, match="takes a number or an array for x, not an object"):
        queries.gradient("x**2", f"x=@{tmp_path / 'x.json'}")


@pytest.mark.parametrize(
    "point",
    ['m=[{"a": 1}]', 'm=[{"a": 1}, {"b": 2}]', 'm=[[{"a": 1}], 2]', {"m": [1.0, ({"a": 1.0},)]}],
)
def test_a_list_with_objects_is_no_value_of_an_input(point):
    with pytest.raises(PointError, match="takes a number or an array for m, not a list that contains an object with a"):
        as_point(point, resolve("2*m"))


@pytest.mark.parametrize("named", ["pi", "π"])
def test_a_point_names_the_constant_pi_in_each_of_its_spellings(named):
    target = resolve("π^2*x")

    assert parse_point(f"{named}=2,x=3", target) == {"pi": 2.0, "x": 3.0}
    assert select(named, ("pi", "x")) == ("pi",)


def test_a_point_that_names_pi_in_both_of_its_spellings_is_refused():
    with pytest.raises(PointError, match="gives pi twice"):
        parse_point("pi=2,π=3,x=1", resolve("π^2*x"))
