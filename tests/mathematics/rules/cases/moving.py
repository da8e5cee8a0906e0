"""Functions that join, take apart, move, repeat, leave out and pad, with all their options."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, B, CUBE, SQUARE = numbers((2, 3)), numbers((2, 3), seed=1), numbers((2, 3, 4)), numbers((3, 3))
FEW, ONE, NONE = numbers((3,), seed=2), numbers((1,), seed=3), np.zeros((0, 3))
SPREAD = numbers((2, 3), order="strided")


def windows(x, *options):
    return np.lib.stride_tricks.sliding_window_view(x, *options)


def strided(x, shape, apart=1):
    """Numbers that lie so far apart, shown along each axis."""
    return np.lib.stride_tricks.as_strided(x, shape, [apart * x.strides[0]] * len(shape))


CASES = {
    "dstack": [(lambda x, y: np.dstack([x, y]), A, B), (lambda x: np.dstack((x, [1.0, 2.0, 3.0])), FEW)],
    "block": [(lambda x, y: np.block([x, y]), FEW, ONE),
        (lambda x, y: np.block([[x, B], [y, 2.0]]), A, np.ones((1, 5))),
        (lambda x, y: np.block([[[x], [y]], [[y], [x]]]), A, B), (np.block, A)],
    "array_split": [(lambda x: np.array_split(x, 2)[1], FEW), (lambda x: np.array_split(x, x[0] - x[0] + 2)[1], FEW),
        (lambda x: np.array_split(x, 2, axis=-1)[0], CUBE[..., :3]), (lambda x: np.array_split(x, 5)[4], FEW),
        (lambda x: np.array_split(x, [1, 1, 9], 1)[2], A)],
    "split": [(lambda x: np.split(x, 3)[1], FEW), (lambda x: np.split(x, [1], axis=1)[1] * np.split(x, (2,), 1)[0], A),
        (lambda x: np.split(x, np.array([2, 1, -1]))[2], FEW)],
    "hsplit": [(lambda x: np.hsplit(x, 3)[2], A), (lambda x: np.hsplit(x, [1])[1], FEW)],
    "vsplit": [(lambda x: np.vsplit(x, 2)[1], A)],
    "dsplit": [(lambda x: np.dsplit(x, [1, 3])[1], CUBE)],
    "unstack": [(lambda x: np.unstack(x)[1], A), (lambda x: np.unstack(x, axis=-1)[2], CUBE)],
    "rollaxis": [(lambda x: np.rollaxis(x, 2), CUBE), (lambda x: np.rollaxis(x, 0, 3), CUBE),
        (lambda x: np.rollaxis(x, -2, -1), CUBE), (lambda x: np.rollaxis(x, 1, 1), CUBE)],
    "roll": [(lambda x: np.roll(x, 2), FEW), (lambda x: np.roll(x, -4), SPREAD), (lambda x: np.roll(x, 1, axis=-1), A),
        (lambda x: np.roll(x, (1, 2), axis=(0, -1)), CUBE), (lambda x: np.roll(x, (1, 1), axis=1), A),
        (lambda x: np.roll(x, 1, axis=(0, 1)), A), (lambda x: np.roll(x, 3), NONE),
        (lambda x: np.roll(x, 3), numbers(()))],
    "fliplr": [(np.fliplr, A)],
    "flipud": [(np.flipud, A), (np.flipud, FEW)],
    "rot90": [*((lambda x, k=k: np.rot90(x, k), SPREAD) for k in (0, 1, 2, -1, 5)),
        (lambda x: np.rot90(x, 1, (2, 0)), CUBE), (lambda x: np.rot90(x, 3, (1, -1)), CUBE)],
    "tile": [(lambda x: np.tile(x, 3), A), (lambda x: np.tile(x, (2, 1)), FEW), (lambda x: np.tile(x, (2,)), A),
        (lambda x: np.tile(x, (2, 2, 1)), SPREAD), (lambda x: np.tile(x, (3, 0)), A),
        (lambda x: np.tile(x, 2), numbers(())), (lambda x: np.tile(x, 1), A)],
    "repeat": [(lambda x: np.repeat(x, 2), SPREAD), (lambda x: np.repeat(x, 3, axis=0), A),
        (lambda x: np.repeat(x, [2, 0, 1], axis=-1), A), (lambda x: np.repeat(x, [2]), FEW),
        (lambda x: np.repeat(x, 3), numbers(())), (lambda x: np.repeat(x, 0), FEW),
        (lambda x: np.repeat(x, 1, axis=1), A), (lambda x: x.repeat(2, axis=1), A)],
    "resize": [(lambda x: np.resize(x, (3, 4)), A), (lambda x: np.resize(x, 2), A)],
    "delete": [(lambda x: np.delete(x, 1), SPREAD), (lambda x: np.delete(x, [0, -1], axis=1), A),
        (lambda x: np.delete(x, slice(None, None, 2), axis=2), CUBE),
        (lambda x: np.delete(x, np.array([True, False, True])), FEW), (lambda x: np.delete(x, []), FEW)],
    "insert": [(lambda x, y: np.insert(x, 1, y), FEW, ONE), (lambda x, y: np.insert(x, [0, 3], y[:2]), FEW, FEW),
        (lambda x, y: np.insert(x, 1, y, axis=1), A, numbers((2,))), (lambda x, y: np.insert(x, [1], y, axis=1), A, B),
        (lambda x: np.insert(x, 0, 5.0, axis=0), A), (lambda y: np.insert([1.0, 2.0], 1, y), ONE),
        (lambda x: np.insert(x, 2, x[0]), FEW)],
    "trim_zeros": [(np.trim_zeros, A)],  # with zeros below: differences would move them
    "as_strided": [(lambda x: strided(x, (2, 2)), FEW), (lambda x: strided(x[1:], (2,), 2), numbers((5,)))],
    "sliding_window_view": [(lambda x: windows(x, 2), FEW),
        (lambda x: windows(x, (2, 2)), SPREAD)] + [(lambda x: windows(x, 2, 1), CUBE)],
    "diagonal": [(np.diagonal, A), (lambda x: np.diagonal(x, 1), SPREAD), (lambda x: x.diagonal(-1, 2, 1), CUBE),
        (np.diagonal, NONE)],
    "trace": [(np.trace, A), (lambda x: np.trace(x, 1), A), (lambda x: x.trace(0, 1, 2), CUBE), (np.trace, NONE)],
    "diag": [(np.diag, FEW), (lambda x: np.diag(x, 2), FEW), (lambda x: np.diag(x, k=-1), SPREAD[0]),
        (lambda x: np.diag(x, -1), A), (np.diag, np.zeros(0))],
    "diagflat": [(np.diagflat, SPREAD), (lambda x: np.diagflat(x, -1), numbers(()))],
    "tril": [(np.tril, A), (lambda x: np.tril(x, -1), CUBE), (np.tril, FEW), (np.tril, NONE)],
    "triu": [(np.triu, SPREAD), (lambda x: np.triu(x, k=1), CUBE), (np.triu, FEW)],
    "meshgrid": [(lambda x, y: np.meshgrid(x, y)[0] * np.meshgrid(x, y)[1], FEW, ONE),
        (lambda x, y: np.prod(np.stack(np.meshgrid(x, [1.0, 2.0], y, indexing="ij")), axis=0), FEW, A[0, :2]),
        (lambda x, y: np.multiply(*np.meshgrid(x, y, sparse=True)), FEW, A[0, :2]), (lambda x: np.meshgrid(x)[0], FEW)],
}  # fmt: skip

WIDTHS = [2, (1, 3), ((0, 2), (1, 0))]
MODES = [
    *((mode, {}) for mode in ("constant", "edge", "wrap", "linear_ramp", "maximum", "minimum", "mean", "reflect")),
    ("symmetric", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {"reflect_type": "odd"}),
    ("constant", {"constant_values": (2.0, 3.0)}),
    ("linear_ramp", {"end_values": ((1.0, 2.0), (3.0, 4.0))}),
    ("maximum", {"stat_length": 2}),
    ("mean", {"stat_length": (1, 2)}),
]


def padded(width, mode, options):
    return lambda x: np.pad(x, width, mode, **options)


CASES["pad"] = [
    *((padded(width, mode, options), A) for mode, options in MODES for width in WIDTHS),
    *((padded((7, 5), mode, {"reflect_type": kind}), FEW) for mode in ("reflect", "symmetric") for kind in ("odd",)),
    (lambda x: np.pad(x, (7, 5), "reflect"), FEW),
    (lambda x: np.pad(x, 4, "wrap"), FEW),
    *((padded(2, mode, {"reflect_type": "odd"}), ONE) for mode in ("reflect", "symmetric")),
    (lambda x: np.pad(x, {1: 2, 0: (0, 1)}), A),
    (lambda x: np.pad(x, 0), A),
    (lambda x: np.pad(x, 1), NONE),
    (lambda x, y: np.pad(x, 1, constant_values=y[0]), A, FEW),
    (lambda x, y: np.pad(x, 1, "linear_ramp", end_values=[[y[0], 1.0], [2.0, y[1]]]), A, FEW),
    (lambda y: np.pad([1.0, 2.0], 1, constant_values=y[0]) * y[1], FEW),
    (lambda x: np.pad(x, ((1, 2), (0, 0), (3, 1)), "edge"), CUBE),
]
