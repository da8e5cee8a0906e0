"""The covariance matrix of SciPy's multivariate distributions, `scipy.stats._multivariate`, by smooth operations.

SciPy uses its eigenvectors, which have no derivatives if eigenvalues are equal, as for the identity. The density is
differentiable there all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import decides, numeric, serves
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.linalg import LOGDET
from gradcli.mathematics.rules.linalg.matrix_helpers import plain_array, transposed
from gradcli.mathematics.rules.numpy import linalg

_FACTORS = {"f": 1e3, "d": 1e6}  # in units of rounding, relative to the largest: smaller eigenvalues count as zero


@serves("scipy.stats._multivariate._PSD")
class Covariance:
    """A symmetric positive semidefinite matrix, with the attributes of SciPy's `_PSD`.

    Attributes:
        U: a matrix whose product with its own transpose is the (pseudo)inverse.
        log_pdet: the logarithm of the product of the nonzero eigenvalues.
        rank: the number of nonzero eigenvalues.
        V: the eigenvectors of the zero eigenvalues.
        eps: the distance from the support that rounding allows.
    """

    def __init__(
        self,
        M: Any,
        cond: Any = None,
        rcond: Any = None,
        lower: bool = True,
        check_finite: bool = True,
        allow_singular: bool = True,
    ) -> None:
        self._M = numeric(M)
        decides(self._M)
        x = linalg.hermitian_part(self._M, "L" if lower else "U")
        values, vectors = SCIPY.linalg.eigh(plain_array(self._M), lower=lower, check_finite=check_finite)
        eps = _cutoff(values, cond if rcond is None else rcond)
        kept = values > eps
        if np.min(values) < -eps:
            raise ValueError("The input matrix must be symmetric positive semidefinite.")
        if not np.all(kept) and not allow_singular:
            raise np.linalg.LinAlgError(
                "When `allow_singular is False`, the input matrix must be symmetric positive definite."
            )
        self.rank, self.eps, self.V = int(np.sum(kept)), 1e3 * eps, vectors[:, ~kept]
        half, log_pdet = _of_definite(x) if np.all(kept) else _of_singular(x, vectors[:, kept])
        self.U = _turned(half, vectors * np.sqrt(np.divide(1.0, values, out=np.zeros_like(values), where=kept)))
        self.log_pdet = with_value_of(lambda _: np.sum(np.log(values[kept])), np.positive)(log_pdet)

    @property
    def pinv(self) -> Any:
        """The inverse or the pseudoinverse."""
        return np.matmul(self.U, transposed(self.U))

    def _support_mask(self, x: Any) -> Any:
        """Whether each point is in the support of the distribution: a plain fact."""
        return np.linalg.norm(np.matmul(plain_array(x), self.V), axis=-1) < self.eps


def _cutoff(values: Any, cond: Any) -> Any:
    if cond in (None, -1):
        kind = values.dtype.char.lower()
        cond = _FACTORS[kind] * np.finfo(kind).eps
    return cond * np.max(np.abs(values))


def _turned(half: Any, wanted: Any) -> Any:
    """SciPy's factor, which equals `half` up to a rotation and so has the same product with its own transpose."""
    left, _, right = np.linalg.svd(np.linalg.lstsq(plain_array(half), wanted)[0], full_matrices=False)
    return with_value_of(lambda *_: wanted, np.matmul)(half, left @ right)


def _of_definite(x: Any) -> tuple[Any, Any]:
    factor = linalg.cholesky(x)
    return transposed(linalg.inv(factor)), 2.0 * np.sum(np.log(np.diag(factor)))


def _of_singular(x: Any, basis: Any) -> tuple[Any, Any]:
    """The factor and the log pseudodeterminant of a singular matrix. `basis` holds the eigenvectors of its nonzero
    eigenvalues, without derivative.

    A matrix `p` whose rank is their number equals `p b (b^T p b)^-1 b^T p` (Nystrom, 1930) for any `b` that spans its
    range.
    """
    spread = np.matmul(linalg.pinv(x), basis)
    factor = linalg.cholesky(np.matmul(transposed(basis), spread))
    half = np.matmul(spread, transposed(linalg.inv(factor)))
    return half, -LOGDET(np.matmul(transposed(half), half))
