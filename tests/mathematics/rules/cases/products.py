"""Programs with NumPy's products of arrays, by the name of the function: each in all its forms."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, B, CUBE = numbers((2, 3)), numbers((3, 2), seed=1), numbers((2, 3, 3))
SQUARE, FEW, ONE = numbers((3, 3), seed=2), numbers((3,), seed=3), numbers((), seed=4)
MORE = numbers((5,), seed=5)


def by_name(text, *arrays, **options):
    return (lambda *x: np.einsum(text, *x, **options), *arrays)


EINSUM = [
    by_name("ij,jk->ik", A, B),
    by_name("ij,jk", A, B),
    by_name("ij,kj->ki", A, A),
    by_name("i,i", FEW, FEW),
    by_name("i,j->ji", FEW, MORE),
    by_name("ii", SQUARE),
    by_name("ii->i", SQUARE),
    by_name("ba", A),
    by_name("ij->", A),
    by_name("ij->j", A),
    by_name("bii->b", CUBE),
    by_name("iji,j->i", numbers((3, 3, 3)), FEW),
    by_name("bij,bjk->bik", CUBE, CUBE),
    by_name("...ij,...j->...i", CUBE, FEW),
    by_name("...ii->...i", CUBE),
    by_name("...->...", A),
    by_name("i...->...", A),
    by_name("...,...", A, FEW),
    by_name(",i->i", ONE, FEW),
    by_name("ij,jk,kl->il", A, B, A),
    by_name("ij,jk,ki", SQUARE, SQUARE, SQUARE),
    by_name("a,b,c->abc", FEW, FEW[:2], FEW[:1]),
    by_name("ij,kl->", A, A),
    by_name("ij,ij->ij", A, A[:1]),
    by_name("ij,jk,kl->il", A, B, A, optimize=True),
    by_name("ij,jk,kl->il", A, B, A, optimize=["einsum_path", (1, 2), (0, 1)]),
    (lambda x, y: np.einsum(x, [0, 1], y, [1, 2]), A, B),
    (lambda x, y: np.einsum(x, [4, 1], y, [1, 2], [2, 4]), A, B),
    (lambda x, y: np.einsum(x, [..., 0, 1], y, [1], [..., 0]), CUBE, FEW),
    by_name("ij,jk->ik", np.zeros((0, 3)), B),
    by_name("ij,jk->ik", np.zeros((2, 0)), np.zeros((0, 2))),
]

CASES = {
    "einsum": EINSUM,
    "einsum_path": [(lambda x: x * len(np.einsum_path("ij,jk->ik", x, x.T)[0]), A)],
    "linalg.matmul": [(np.linalg.matmul, A, B)],
    "vecdot": [(np.vecdot, A, FEW), (lambda x, y: np.vecdot(x, y, axis=0), B, FEW[:, None])],
    "linalg.vecdot": [(np.linalg.vecdot, A, FEW), (lambda x, y: np.linalg.vecdot(x, y, axis=0), B, B)],
    "matvec": [(np.matvec, CUBE, FEW), (np.matvec, A, CUBE[0])],
    "vecmat": [(np.vecmat, FEW, CUBE), (np.vecmat, CUBE[0], CUBE[1])],
    "tensordot": [
        (np.tensordot, A, numbers((2, 3, 2))),
        *(
            (lambda x, y, axes=axes: np.tensordot(x, y, axes), SQUARE, numbers((3, 3, 3)))
            for axes in (0, 1, ([0], [1]), (-1, 2))
        ),
        (lambda x, y: np.tensordot(x, y, ([0, 1], [1, 0])), A, B),
    ],
    "linalg.tensordot": [(lambda x, y: np.linalg.tensordot(x, y, axes=1), A, B)],
    "kron": [(np.kron, A, B), (np.kron, FEW, A), (np.kron, CUBE, FEW), (np.kron, ONE, A)],
    "linalg.outer": [(np.linalg.outer, FEW, MORE)],
    "cross": [(np.cross, SQUARE, FEW), (lambda x, y: np.cross(x, y, axis=0), SQUARE, SQUARE[:, :1]),
        (lambda x, y: np.cross(x, y, axisa=0, axisb=1, axisc=0), SQUARE, SQUARE)],
    "linalg.cross": [(np.linalg.cross, SQUARE, FEW), (lambda x: np.linalg.cross(x, SQUARE, axis=0), SQUARE)],
    "convolve": [*((lambda x, y, mode=mode: np.convolve(x, y, mode), FEW, MORE) for mode in ("full", "same", "valid")),
        (np.convolve, MORE, FEW), (np.convolve, FEW, ONE)],
    "correlate": [
        *((lambda x, y, mode=mode: np.correlate(x, y, mode), MORE, FEW) for mode in ("full", "same", "valid")),
        (lambda x, y: np.correlate(x, y, "same"), MORE[:4], MORE), (np.correlate, FEW, MORE)],
    "linalg.diagonal": [(np.linalg.diagonal, CUBE), (lambda x: np.linalg.diagonal(x, offset=1), A)],
    "linalg.trace": [(np.linalg.trace, CUBE), (lambda x: np.linalg.trace(x, offset=-1), SQUARE)],
    "linalg.matrix_transpose": [(np.linalg.matrix_transpose, CUBE)],
    "vander": [(np.vander, FEW), (lambda x: np.vander(x, 4, increasing=True), FEW), (lambda x: np.vander(x, 2), FEW)],
    "polyval": [(np.polyval, FEW, A), (lambda x: np.polyval([1.0, 2.0], x), ONE)],
    "polyadd": [(np.polyadd, FEW, MORE), (np.polyadd, MORE, ONE), (lambda x: np.polyadd(x, x), A)],
    "polysub": [(np.polysub, FEW, MORE)],
    "polymul": [(np.polymul, FEW, MORE), (lambda x: np.polymul(x, [0.0, 0.0, 1.0, 2.0]), FEW)],
    "polyder": [(np.polyder, FEW), (lambda p: np.polyder(p, 2), MORE), (lambda p: np.polyder(p, 4), FEW)],
    "polyint": [(np.polyint, FEW), (lambda p, k: np.polyint(p, 2, k), FEW, FEW[:2])],
}  # fmt: skip
