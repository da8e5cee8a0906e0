# Derived by gradcli: gradcli.derive(energy, at=…)

import numpy as np


def _hermitian(x, *, part):
    """The Hermitian matrix with the lower or upper triangle of `x`."""
    below = lower(x if part == 'lower' else adjoint(x), -1)
    return below + adjoint(below) + diagonal_matrix(real(diagonal(x)))


def adjoint(x):
    """The conjugate transpose of every matrix in a stack."""
    return conj(np.swapaxes(x, -1, -2))


def conj(x):
    """The complex conjugate; a real array unchanged. Object arrays use the conjugate of their elements."""
    return np.conj(x) if plain_array(x).dtype.kind in 'cO' else x


def plain_array(x):
    """The plain array of `x`, recorded or not."""
    return x


def diagonal(x):
    """The diagonal of every matrix."""
    n = integers_below(x, np.shape(x)[-1])
    return x[..., n, n]


def integers_below(x, count):
    """The integers below `count`, on the device of `x`."""
    return np.arange(count, like=plain_array(x))


def diagonal_matrix(x):
    """Diagonal matrices from vectors."""
    return eye(x, np.shape(x)[-1], x.dtype) * x[..., None, :]


def eye(x, count, dtype=bool):
    """The identity with `count` rows, on the device of `x`. CuPy's own does not support NumPy's `like`."""
    n = integers_below(x, count)
    return (n[:, None] == n).astype(dtype)


def lower(x, k=0):
    """The lower triangle of every matrix, with zeros above diagonal `k`."""
    rows, columns = np.shape(x)[-2:]
    return np.where(np.tri(rows, columns, k, dtype=bool, like=plain_array(x)), x, np.zeros_like(plain_array(x), shape=()))


def real(x):
    """The real part; a real array unchanged."""
    kind = plain_array(x).dtype.kind
    return np.real(x) if kind == 'c' else 0.5 * (x + np.conj(x)) if kind == 'O' else x


def cholesky_vjp(ct, v, x):
    """Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, 2016, equation 10, symmetrised."""
    inner = np.matmul(adjoint(v), conj(ct))
    half = lower(inner) - 0.5 * diagonal_matrix(diagonal(inner))
    up = adjoint(v)
    outer = transposed(solution(transposed(v), transposed(solution(up, half))))
    return conj(0.5 * (outer + adjoint(outer)))


def solution(x, b):
    """The solution of `x @ y = b`, for use in vector-Jacobian products: nan for a singular matrix."""
    return np.linalg.solve(_regular(x), b)


def _regular(x):
    """`x` with nan in place of the matrices that LAPACK finds singular."""
    sign = np.linalg.slogdet(plain_array(x))[0]
    return x if np.all(sign) else np.where((sign == 0)[..., None, None], np.nan, x)


def transposed(x):
    """The transpose of every matrix in a stack."""
    return np.swapaxes(x, -1, -2)


def hermitian_vjp(ct, v, x, *, part):
    below = lower(ct + adjoint(ct), -1)
    below = below if part == 'lower' else adjoint(below)
    return below + diagonal_matrix(real(diagonal(ct)))


def grad_energy(reading, spread):
    """The gradient of energy (correlated_noise.py) by reading and spread.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert reading.ndim == 1, "reading is an array with 1 axis"
    assert spread.ndim == 1, "spread is an array with 1 axis"
    assert reading.dtype.kind in "fc", "reading holds floats"
    assert spread.dtype.kind in "fc", "spread holds floats"
    covariance = np.diag(spread) + 0.5
    weights = np.linalg.solve(covariance, reading)
    t_2 = _hermitian(covariance, part="lower")
    root = np.linalg.cholesky(t_2)
    # return 0.5 * reading @ weights + np.sum(np.log(np.diag(root)))
    s_5 = 1.0 / np.diag(root)
    s_root = (
        np.eye(*np.shape(root))
        * (s_5 if np.shape(root)[0] > np.shape(root)[1] else s_5[:, None])
    )
    s_weights = 0.5 * reading
    s_reading = 0.5 * weights
    # root = np.linalg.cholesky(covariance)
    s_covariance = hermitian_vjp(
        cholesky_vjp(s_root, root, t_2), t_2, covariance, part="lower"
    )
    # weights = np.linalg.solve(covariance, reading)
    s_reading = s_reading + np.linalg.solve(covariance.T, s_weights)
    s_covariance = (
        s_covariance - np.outer(np.linalg.solve(covariance.T, s_weights), weights)
    )
    # covariance = np.diag(spread) + 0.5
    return s_reading, np.diag(s_covariance)
