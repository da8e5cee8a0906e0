"""Quantities of a run by their names."""

import numpy as np
import pytest

from gradcli.engine.traces.trace import record_trace
from gradcli.queries.node_selection import picked


def filled(x):
    s = np.zeros(3)
    for i in range(3):
        s[i] = x[i] ** 2
    y = s * 2
    y = y + 1
    total = 0.0
    for i in range(3):
        total = total + y[i]
    return total


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        ("s", "s#3", ()),  # and not the zeros that are filled
        ("s[1]", "s#3[1]", (1,)),
        ("s#1", "s#1", ()),
        ("total", "total#3", ()),
        ("y", "y", ()),
        ("y#2", "y#2", ()),
        ("x[2]", "x[2]", (2,)),
    ],
)
def test_the_last_value_of_a_name(text, name, place):
    trace = record_trace(filled, (np.array([1.0, 2.0, 3.0]),), names=True)

    found = picked(trace, text)

    assert (found.name, found.place) == (name, place)
    assert trace.names[found.node] == name.partition("[")[0]
