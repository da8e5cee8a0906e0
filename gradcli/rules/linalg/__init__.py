"""Array rules of linear algebra: inverses and systems, determinants, factorisations; all on stacks of matrices.

A cotangent pairs with a tangent without a conjugation, so what is holomorphic is pulled back by plain transposes.  The
factorisations are not: their formulas stand in the convention of their sources, cotangents conjugated on the way in and
out (`matrices.conj` costs nothing on real numbers).
"""

from __future__ import annotations

from gradcli.rules.linalg.cholesky_qr import CHOLESKY, QR
from gradcli.rules.linalg.determinants import DET, LOGDET
from gradcli.rules.linalg.eigen import EIG, EIGH, HERMITIAN
from gradcli.rules.linalg.inverses_and_systems import INV, LSTSQ, PINV, SOLVE
from gradcli.rules.linalg.matrix_errors import MatrixError
from gradcli.rules.linalg.singular_values import SVD

__all__ = [
    "CHOLESKY", "DET", "EIG", "EIGH", "HERMITIAN", "INV", "LOGDET", "LSTSQ", "PINV", "QR", "SOLVE", "SVD",
    "MatrixError",
]  # fmt: skip
