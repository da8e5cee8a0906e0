"""What SciPy's multivariate distributions ask of a covariance, `scipy.stats._multivariate`, by smooth operations.

SciPy takes its eigenvectors, which have no derivatives where two eigenvalues are the same, as in the identity; the
density has its derivatives there all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import decides, numeric, serves
from gradcli.rules.lazy_scipy import SCIPY
from gradcli.rules.library_values import with_value_of
from gradcli.rules.linalg import LOGDET
from gradcli.rules.linalg.matrix_helpers import plain, transposed
from gradcli.rules.numpy import linalg

_FACTORS = {"f": 1e3, "d": 1e6}  # in units of rounding: eigenvalues that are smaller in proportion count as zero


@serves("scipy.stats._multivariate._PSD")
class Covariance:
    """A symmetric, positive semidefinite matrix, as SciPy's `_PSD` holds it.

    Attributes:
        U: a matrix whose product with its own transpose is the (pseudo)inverse.
        log_pdet: the logarithm of the product of the eigenvalues that are not zero.
        rank: how many these are.
        V: the eigenvectors of the others, and `eps`, how far from the support rounding may lead.
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
        values, vectors = SCIPY.linalg.eigh(plain(self._M), lower=lower, check_finite=check_finite)
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
        """The inverse, or the pseudoinverse."""
        return np.matmul(self.U, transposed(self.U))

    def _support_mask(self, x: Any) -> Any:
        """Whether each of some points is where the distribution lives, a plain fact."""
        return np.linalg.norm(np.matmul(plain(x), self.V), axis=-1) < self.eps


def _cutoff(values: Any, cond: Any) -> Any:
    if cond in (None, -1):
        kind = values.dtype.char.lower()
        cond = _FACTORS[kind] * np.finfo(kind).eps
    return cond * np.max(np.abs(values))


def _turned(half: Any, wanted: Any) -> Any:
    """The factor that SciPy has, which is `half` but for a turn: the product with its own transpose is the same."""
    left, _, right = np.linalg.svd(np.linalg.lstsq(plain(half), wanted)[0], full_matrices=False)
    return with_value_of(lambda *_: wanted, np.matmul)(half, left @ right)


def _of_definite(x: Any) -> tuple[Any, Any]:
    factor = linalg.cholesky(x)
    return transposed(linalg.inv(factor)), 2.0 * np.sum(np.log(np.diag(factor)))


def _of_singular(x: Any, basis: Any) -> tuple[Any, Any]:
    """Of `basis`, the eigenvectors here of the eigenvalues that are not zero, no derivative is taken.

    A matrix `p` of their number as its rank is `p b (b^T p b)^-1 b^T p` (Nystrom, 1930), whichever `b` reach its range.
    """
    spread = np.matmul(linalg.pinv(x), basis)
    factor = linalg.cholesky(np.matmul(transposed(basis), spread))
    half = np.matmul(spread, transposed(linalg.inv(factor)))
    return half, -LOGDET(np.matmul(transposed(half), half))
