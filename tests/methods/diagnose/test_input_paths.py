"""Inputs without a path to the result, and inputs that act only through outcomes."""

import math

import numpy as np
import pytest

from gradcli.methods.diagnose.input_paths import cut_inputs, idle_inputs
from gradcli.methods.transforms.gradients import trace


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x, y: x * y, set()),
        (lambda x, y: x * 2, set()),
        (lambda x, y: x if y > 1 else 2 * x, {1}),
        (lambda x, y: x * math.floor(y), {1}),
        (lambda x, y: x * round(y * y), {1}),
        (lambda x, y: [x, 2 * x, 3 * x][int(y)], {1}),
        (lambda x, y: float(int(x)) * int(y), {0, 1}),
        (lambda x, y: x + y * math.floor(y), set()),
    ],
    ids=["product", "unused", "branch", "floor", "round of a square", "table", "both", "another path"],
)
def test_cut_inputs(f, expected):
    tape = trace(f, 1.5, 2.5)

    assert cut_inputs(tape, tape.cotangents()) == expected


def test_an_array_that_only_masks_is_cut():
    tape = trace(lambda x, y: np.sum(np.where(y > 0, x, 2 * x)), np.ones(3), np.array([1.0, -1.0, 2.0]))

    assert cut_inputs(tape, tape.cotangents()) == {1}


@pytest.mark.parametrize(
    ("f", "wanted", "expected"),
    [
        (lambda x, y: x * y, "xy", []),
        (lambda x, y: x, "xy", [("G401", "y does not affect the result: its derivative is exactly 0")]),
        (lambda x, y: x, "x", []),
        (
            lambda x, y: x if y > 0 else -x,
            "xy",
            [("G205", "y acts only through comparisons, rounding or indices: its derivative is exactly 0; "
              "the first of them is >")],
        ),
        (
            lambda x, y: x * (y // 2),
            "xy",
            [("G503", "y acts only through //, which rounds down: its derivative is exactly 0")],
        ),
        (
            lambda x, y: (y * y, x)[1],
            "xy",
            [("G401", "y is used, but does not affect the result: its derivative is exactly 0")],
        ),
        (
            lambda x, y: x * np.sqrt(np.maximum(y - 9, 0)),
            "xy",
            [("G401", "y is used, but does not affect the result here, as the slope of maximum is 0: "
              "its derivative is exactly 0")],
        ),
        (lambda x, y: 3.0, "xy", [("G401", "x does not affect the result: its derivative is exactly 0"),
                                  ("G401", "y does not affect the result: its derivative is exactly 0")]),
    ],
    ids=["both used", "unused", "not wanted", "cut", "whole division", "used in vain", "clipped", "constant"],
)  # fmt: skip
def test_findings_of_idle_inputs(f, wanted, expected):
    found = idle_inputs(trace(f, 1.0, 2.0), {"x": 1.0, "y": 2.0}, wanted)

    assert [(finding.code, finding.message) for finding in found] == expected
