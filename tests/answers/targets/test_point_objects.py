"""Objects of dataclasses and named tuples out of what was typed, as the parameters declare them."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from gradcli.answers.targets import as_point, parse_point
from gradcli.errors import PointError, UserCodeError
from tests.answers.targets.conftest import target_of


@dataclass
class Spring:
    """A dataclass of numbers."""

    stiffness: float
    length: float = 2.0


class Pair(NamedTuple):
    """A named tuple of numbers."""

    u: float
    v: float = 2.0


@dataclass(frozen=True)
class Model:
    """A dataclass that holds another, and a text."""

    spring: Spring
    pair: Pair | None = None
    kind: str = field(default="linear", metadata={"static": True})

    def __post_init__(self) -> None:
        if self.kind == "bad":
            raise ValueError("bad kind")


def of_spring(s: Spring):
    return s.stiffness * s.length


def of_default(s=Spring(1.0)):  # noqa: B008 - what is tested
    return s.stiffness


def of_pair(p: Pair, scale: float = 1.0):
    """A function of a named tuple, and a number."""
    return p.u * scale


def of_model(m: Model):
    """A function of an object that holds others."""
    return m.spring.stiffness


def of_springs(springs: list[Spring]):
    return sum(s.stiffness for s in springs)


def of_named(springs: dict[str, Spring]):
    return springs


def of_array(s: Spring):
    """A function of an object that holds an array."""
    return np.sum(s.stiffness)


@pytest.mark.parametrize(
    ("text", "function", "expected"),
    [
        ('s={"stiffness": 3, "length": 4}', of_spring, Spring(3.0, 4.0)),
        ('{"s": {"stiffness": 3}}', of_spring, Spring(3.0)),
        ('{"stiffness": 3}', of_spring, Spring(3.0)),
        ("stiffness=3,length=4", of_spring, Spring(3.0, 4.0)),
        ('{"stiffness": 3}', of_default, Spring(3.0)),
        ('{"u": 3}', of_pair, Pair(3.0)),
        ("p=[3,4]", of_pair, Pair(3.0, 4.0)),
        ('{"spring": {"stiffness": 1}}', of_model, Model(Spring(1.0))),
        ('{"spring": {"stiffness": 1}, "kind": "cubic"}', of_model, Model(Spring(1.0), None, "cubic")),
        ('{"spring": {"stiffness": 1}, "pair": [1, 2]}', of_model, Model(Spring(1.0), Pair(1.0, 2.0))),
        ('[{"stiffness": 1}, {"stiffness": 2}]', of_springs, [Spring(1.0), Spring(2.0)]),
        ('springs={"front": {"stiffness": 1}}', of_named, {"front": Spring(1.0)}),
    ],
)
def test_an_object_is_made_of_its_fields(text, function, expected):
    (found,) = parse_point(text, target_of(function)).values()

    assert found == expected
    assert type(expected) is type(found)


def test_a_list_in_a_field_is_an_array():
    found = parse_point("stiffness=[1,2]", target_of(of_array))["s"]

    assert found.stiffness.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "function", "message", "hint"),
    [
        ("1,2", of_spring, "The value of s is an array or list; Spring needs its fields by name.",
         'Type s={"stiffness": 1}.'),
        ("s=3", of_spring, "The value of s is not an object; Spring needs its fields by name.",
         'Type s={"stiffness": 1}.'),
        ('{"stiffness": 1, "lenght": 2}', of_spring, "s is a Spring, which has no field 'lenght'.",
         "Did you mean length? Spring has stiffness, length."),
        ('s={"length": 2}', of_spring, "The point gives no value for s.stiffness.", 'Type s={"stiffness": 1}.'),
        ('{"spring": {}}', of_model, "The point gives no value for m.spring.stiffness.",
         "Spring has stiffness, length."),
        ('{"spring": 3}', of_model, "The value of m.spring is not an object; Spring needs its fields by name.",
         'Type {"stiffness": 1} there.'),
        (None, of_model, "There is no point.",
         """f4 takes one parameter m: --at 'm={"spring": {"stiffness": 1}}'."""),
    ],
)  # fmt: skip
def test_what_makes_no_object(text, function, message, hint):
    """The fields that came and that are needed, and what to type."""
    with pytest.raises(PointError) as caught:
        parse_point(text, target_of(function))

    assert (message, hint) == (caught.value.message, caught.value.hint)


def test_what_the_class_raises_is_the_users():
    with pytest.raises(UserCodeError, match="ValueError while Model of the point is made: bad kind") as caught:
        parse_point('{"spring": {"stiffness": 1}, "kind": "bad"}', target_of(of_model))

    assert __file__ == caught.value.file


@pytest.mark.parametrize("given", [Spring(3, 4), {"s": Spring(3, 4)}, {"s": {"stiffness": 3, "length": 4}}])
def test_an_object_of_python_stays_one(given):
    (found,) = as_point(given, target_of(of_spring)).values()

    assert Spring(3.0, 4.0) == found
    assert float is type(found.stiffness)


def test_a_named_tuple_of_python_stays_one():
    assert as_point(({"p": Pair(3, 4)})["p"], target_of(lambda u, v: u))["u"] == 3.0
    assert Pair(3.0, 4.0) == as_point({"p": Pair(3, 4)}, target_of(of_pair))["p"]
