"""Array rules for linear algebra: inverses, systems, determinants and factorisations of stacks of matrices.

A cotangent pairs with a tangent without conjugation, so the pullbacks of holomorphic functions are plain transposes.
Factorisations are not holomorphic: their formulas follow the convention of their sources, with cotangents conjugated on
the way in and out (`matrix_helpers.conj` is free for real numbers).
"""

from __future__ import annotations

from gradcli.mathematics.rules.linalg.cholesky_qr import CHOLESKY, QR
from gradcli.mathematics.rules.linalg.eigen import EIG, EIGH, HERMITIAN
from gradcli.mathematics.rules.linalg.inverses_determinants_systems import DET, INV, LOGDET, LSTSQ, PINV, SOLVE
from gradcli.mathematics.rules.linalg.matrix_errors import MatrixError
from gradcli.mathematics.rules.linalg.singular_values import SVD

__all__ = [
    "CHOLESKY", "DET", "EIG", "EIGH", "HERMITIAN", "INV", "LOGDET", "LSTSQ", "PINV", "QR", "SOLVE", "SVD",
    "MatrixError",
]  # fmt: skip
