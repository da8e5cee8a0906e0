"""The name after the colon: the function that it means, and the answers where it means none."""

import pytest

from gradcli.errors import TargetError, UserCodeError
from gradcli.targets import resolve


def test_a_wrong_name_lists_what_is_there_and_names_the_nearest(hyperbox):
    with pytest.raises(TargetError) as caught:
        resolve("hyperbox.py:f4x")

    expected = "There is no 'f4x' in hyperbox.py; functions there: f3(sides), f4(side_lengths).\nDid you mean f4?"
    assert expected == str(caught.value)


@pytest.mark.parametrize("text", ["hyperbox.py", "hyperbox.py:", "hyperbox:"])
def test_no_name_among_several_lists_them(hyperbox, text):
    with pytest.raises(TargetError, match=r"There are 2 functions .*f3\(sides\), f4\(side_lengths\).\nName one: .*:f3"):
        resolve(text)


def test_no_name_takes_the_only_function(write):
    """Private and imported ones, classes and numbers do not count."""
    write("f.py", "from math import sin\nk = 2\nclass C: pass\ndef _help(x): return x\ndef only(x): return sin(x)")

    assert "only" == resolve("f.py").name


def test_no_name_in_a_file_without_functions(write):
    write("f.py", "k = 2")

    with pytest.raises(TargetError, match=r"There is no function in f.py"):
        resolve("f.py")


def test_a_name_in_a_file_without_functions(write):
    write("f.py", "k = 2")

    with pytest.raises(TargetError, match=r"There is no 'f' in f.py, and no function at all"):
        resolve("f.py:f")


def test_a_private_function_can_be_named(write):
    write("f.py", "def _f(x): return x")

    assert 1.0 == resolve("f.py:_f").function(1.0)


def test_a_lambda_is_a_function(write):
    write("f.py", "f = lambda x: 2 * x")

    assert 2.0 == resolve("f.py:f").function(1.0)


def test_a_static_method(hyperbox):
    """A dotted name is looked up step by step."""
    assert 8.0 == resolve("hyperbox.py:Box.volume").function(2.0)


def test_a_method_of_an_object(write):
    write("f.py", "class Box:\n    def area(self, x): return x * x\nbox = Box()")

    assert 9.0 == resolve("f.py:box.area").function(3.0)


def test_a_method_of_a_class_needs_an_object(hyperbox):
    with pytest.raises(TargetError, match=r"Box.area in hyperbox.py is a method(.|\n)*box = Box\(…\)"):
        resolve("hyperbox.py:Box.area")


def test_a_class_is_no_function(hyperbox):
    with pytest.raises(
        TargetError, match=r"Box in hyperbox.py is a class, not a function.\nFunctions there: f3\(sides\)"
    ):
        resolve("hyperbox.py:Box")


def test_a_number_is_no_function(hyperbox):
    with pytest.raises(TargetError, match=r"UNIT in hyperbox.py is not a function: its type is float"):
        resolve("hyperbox.py:UNIT")


def test_a_missing_part_of_a_dotted_name(hyperbox):
    with pytest.raises(TargetError, match=r"There is no 'Box.depth' in hyperbox.py: the class has no 'depth'"):
        resolve("hyperbox.py:Box.depth")


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
