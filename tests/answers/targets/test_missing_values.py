"""Hints at the values that are missing."""

import pytest

from examples import hyperbox
from gradcli.answers.targets import parse_point, resolve
from gradcli.answers.targets.missing_values import point_of
from gradcli.errors import PointError


def of_data(w, X, y, rate):
    return w * X + y * rate


def test_numbers_in_order_where_they_do():
    with pytest.raises(PointError) as missing:
        parse_point(None, resolve(f"{hyperbox.__file__}:f3"))

    assert missing.value.hint == "f3 takes 3 parameters a, b, c: --at 1,2,3 or --at a=1,b=2,c=3."


def test_names_without_a_value():
    with pytest.raises(PointError) as missing:
        point_of(resolve(f"{__file__}:of_data"), {"y": 1.0, "rate": 1.0})

    assert missing.value.hint == "Type at w=1,X=1, or give the point with --at."
