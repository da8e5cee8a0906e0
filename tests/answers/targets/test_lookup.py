"""The name after the colon: the function that it means, and the answers where it means none."""

import pytest

from gradcli.answers.targets import resolve
from gradcli.errors import TargetError, UserCodeError


def test_a_wrong_name_lists_what_is_there_and_names_the_nearest(hyperbox):
    with pytest.raises(TargetError) as caught:
        resolve("hyperbox.py:f4x")

    expected = "There is no 'f4x' in hyperbox.py; functions there: f3(sides), f4(side_lengths).\nDid you mean f4?"
    assert str(caught.value) == expected


@pytest.mark.parametrize("text", ["hyperbox.py", "hyperbox.py:", "hyperbox:"])
def test_no_name_among_several_lists_them(hyperbox, text):
    with pytest.raises(TargetError, match=r"There are 2 functions .*f3\(sides\), f4\(side_lengths\).\nName one: .*:f3"):
        resolve(text)


def test_no_name_takes_the_only_function(write):
    """Private and imported ones, classes and numbers do not count."""
    write("f.py", "from math import sin\nk = 2\nclass C: pass\ndef _help(x): return x\ndef only(x): return sin(x)")

    assert resolve("f.py").name == "only"


@pytest.mark.parametrize(
    ("text", "message"),
    [("f.py", "There is no function in f.py"), ("f.py:f", "There is no 'f' in f.py, and no function at all")],
)
def test_a_file_without_functions(write, text, message):
    write("f.py", "k = 2")

    with pytest.raises(TargetError, match=message):
        resolve(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def _f(x): return x * x", "_f"),
        ("f = lambda x: x * x", "f"),
        ("class Box:\n    def area(self, x): return x * x\nbox = Box()", "box.area"),
    ],
    ids=["a private function", "a lambda", "a method of an object"],
)
def test_what_is_a_function_of_the_file(write, text, name):
    write("f.py", text)

    assert resolve(f"f.py:{name}").function(3.0) == 9.0


def test_a_static_method(hyperbox):
    """A dotted name is looked up step by step."""
    assert resolve("hyperbox.py:Box.volume").function(2.0) == 8.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Box.area", r"Box.area in hyperbox.py is a method(.|\n)*box = Box\(…\)"),
        ("Box", r"Box in hyperbox.py is a class, not a function."),
        ("UNIT", "UNIT in hyperbox.py is not a function: its type is float"),
        ("Box.depth", "There is no 'Box.depth' in hyperbox.py: the class has no 'depth'"),
    ],
)
def test_what_is_no_function_of_the_file(hyperbox, name, message):
    with pytest.raises(TargetError, match=message):
        resolve(f"hyperbox.py:{name}")


def test_a_name_whose_lookup_raises(write):
    write("f.py", "def __getattr__(name): raise ValueError(name)")

    with pytest.raises(UserCodeError, match=r"ValueError while f is looked up in f.py: f"):
        resolve("f.py:f")


def test_of_many_functions_some_are_listed():
    with pytest.raises(TargetError, match=r"and \d+ more.\nDid you mean isclose\?"):
        resolve("math:isclos")


def test_a_long_wrong_name_is_cut(hyperbox):
    with pytest.raises(TargetError) as caught:
        resolve("hyperbox.py:" + "f" * 100_000)

    assert 200 > len(str(caught.value))
