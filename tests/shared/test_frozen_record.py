"""Frozen records behave as frozen dataclasses do."""

from __future__ import annotations

from typing import ClassVar

import pytest

from gradcli.shared.frozen_record import Frozen, deferred


class Point(Frozen):
    """A record with a default."""

    kind: ClassVar[str] = "point"
    x: float
    y: float = 2.0


class Named(Point):
    """A record that extends another."""

    name: str = "p"


def test_values():
    """By position and by name, inherited fields first, with defaults; a class is a part of the value."""
    assert Point(1.0, 3.0) == Point(x=1.0, y=3.0)
    assert Named(1.0, 3.0, "q") == Named(x=1.0, y=3.0, name="q")
    assert Point(1.0) != Named(1.0)
    assert repr(Point(1.0)) == "Point(x=1.0, y=2.0)"
    assert len({Point(1.0), Point(1.0)}) == 1


def test_it_does_not_change():
    point = Point(1.0)
    assert (point.changed(y=5.0), point.y) == (Point(1.0, 5.0), 2.0)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2.0
    with pytest.raises(AttributeError, match="frozen"):
        del point.x


@pytest.mark.parametrize(
    ("values", "named", "said"),
    [((), {}, "fields x, y"), ((1, 2, 3), {}, "1, 2, 3"), ((1,), {"x": 2}, "'x': 2"), ((1,), {"z": 2}, "'z': 2")],
)
def test_wrong_fields_are_refused(values, named, said):
    """A missing, a surplus, a doubled and an unknown field."""
    with pytest.raises(TypeError, match=said):
        Point(*values, **named)


def test_matches_by_position():
    match Point(1.0):
        case Point(x, y):
            assert (x, y) == (1.0, 2.0)


class Text(Frozen, on_demand=("text",)):
    """A record with a field that is computed when it is read."""

    name: str
    text: str


def test_a_deferred_field_is_computed_once_when_it_is_read():
    computed = []
    record = Text("t", deferred(lambda word: computed.append(word) or word, "deferred"))
    copy = record.changed(name="u")
    assert computed == []

    assert (record.text, record.text, dict(record.items())["text"]) == ("deferred", "deferred", "deferred")
    assert record == Text("t", "deferred")
    assert computed == ["deferred"]
    assert copy.text == "deferred"
