"""Reductions with all their options, variances, averages, covariances, quantiles, and what leaves nan out."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, B, CUBE, SQUARE = numbers((2, 3)), numbers((2, 3), seed=1), numbers((2, 3, 4)), numbers((3, 3))
FEW, PAIR, ONE = numbers((3,), seed=2), numbers((2,), seed=4), numbers((1,), seed=3)
FOUR, FIVE = numbers((4,), seed=6), numbers((5,), seed=5)
SPREAD = numbers((2, 3), order="strided")
MASK = A > 0.9
METHODS = """inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear
    median_unbiased normal_unbiased lower higher midpoint nearest""".split()


def holes(x):
    """A product with an array in which some numbers are missing."""
    return np.where(np.reshape(np.arange(x.size) % 3 == 1, x.shape), np.nan, x)


def with_options(name):
    """What every sum and every extreme has."""
    f = getattr(np, name)
    start = {"max": 0.1, "min": 9.0}.get(name, 1.3)
    return [
        (f, A),
        (f, SPREAD),
        (lambda x: f(x, axis=(0, -1), keepdims=True), CUBE),
        (lambda x: f(x, axis=[0, 1][1]), A),
        (lambda x: f(x, initial=start), A),
        (lambda x: f(x, axis=1, initial=start, keepdims=True), A),
        (lambda x: f(x, where=MASK, initial=start), A),
        (lambda x: f(x, axis=0, where=[True, False, True], initial=start), A),
    ]


CASES = {
    "sum": [*with_options("sum"), (lambda x: np.sum(x, where=MASK), A), (lambda x: x.sum(0, where=MASK), A)],
    "prod": [*with_options("prod"), (lambda x: np.prod(x, where=MASK), A)],
    "max": [*with_options("max"), (lambda x: np.max(x, axis=1, initial=1.4), A), (lambda x: x.max(0), A)],
    "min": [*with_options("min"), (lambda x: np.min(x, axis=1, initial=0.8), A), (lambda x: x.min(0), A)],
    "mean": [(np.mean, A), (lambda x: np.mean(x, axis=(0, 2), keepdims=True), CUBE),
        (lambda x: np.mean(x, where=MASK), A), (lambda x: np.mean(x, axis=1, where=MASK, keepdims=True), A),
        (lambda x: x.mean(-1, dtype=np.float64), A)],
    "ptp": [(np.ptp, A), (lambda x: np.ptp(x, axis=1, keepdims=True), A), (lambda x: np.ptp(x, (0, 1)), CUBE)],
    "var": [(np.var, A), (np.var, SPREAD), (lambda x: np.var(x, axis=(0, -1), keepdims=True), CUBE),
        (lambda x: np.var(x, axis=1, ddof=1), A), (lambda x: np.var(x, correction=1.5), A),
        (lambda x: np.var(x, where=MASK), A),
        (lambda x: np.var(x, axis=1, where=[True, False, True], ddof=0.5, keepdims=True), A),
        (lambda x: np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True)), A),
        (lambda x: np.var(x, axis=1, mean=np.array([[1.0], [2.0]])), A), (lambda x: x.var(0), A),
        (lambda x: x.var(ddof=1), ONE * FIVE)],
    "std": [(np.std, A), (lambda x: np.std(x, axis=(0, -1), keepdims=True), CUBE),
        (lambda x: np.std(x, axis=1, ddof=1), A),
        (lambda x: np.std(x, axis=1, correction=1, where=[True, True, True]), A), (lambda x: x.std(0), A)],
    "average": [(np.average, A), (lambda x: np.average(x, axis=(0, 1), keepdims=True), CUBE),
        (lambda x, w: np.average(x, weights=w), A, B),
        (lambda x, w: np.average(x, axis=1, weights=w, keepdims=True), A, FEW),
        (lambda x, w: np.average(x, axis=(2, 0), weights=w), CUBE, numbers((4, 2))),
        (lambda w: np.average(A, axis=0, weights=w), PAIR), (lambda x: np.average(x, axis=0, weights=[1, 2]), A),
        (lambda x, w: np.average(x, axis=1, weights=w, returned=True)[1], A, FEW),
        (lambda x, w: np.multiply(*np.average(x, weights=w, returned=True)), A, B),
        (lambda x: np.multiply(*np.average(x, axis=0, returned=True)), A)],
    "cov": [(np.cov, A), (np.cov, FIVE), (lambda x: np.cov(x, rowvar=False), A),
        (lambda x, y: np.cov(x, y), FEW, FEW[::-1] * 1.5), (lambda x, y: np.cov(x, y, bias=True), A, B),
        (lambda x, y: np.cov(x, y, rowvar=False, ddof=0), A, B), (lambda x: np.cov(x, fweights=[1, 2, 1]), A),
        (lambda x, w: np.cov(x, aweights=w), A, FEW),
        (lambda x, w: np.cov(x, aweights=w, fweights=np.array([2, 1, 3])), A, FEW),
        (lambda x, w: np.cov(x, aweights=w, ddof=0), A, FEW)],
    "corrcoef": [(np.corrcoef, numbers((2, 4))), (lambda x: np.corrcoef(x, rowvar=False), numbers((4, 2))),
        (lambda x, y: np.corrcoef(x, y)[0, 1], FIVE, numbers((5,), seed=9))],
    "median": [(np.median, A), (np.median, FIVE), (np.median, ONE), (np.median, numbers(())),
        (lambda x: np.median(x, axis=0), SPREAD), (lambda x: np.median(x, axis=(0, -1), keepdims=True), CUBE),
        (lambda x: np.median(x, axis=[1, 2]), CUBE)],
    "quantile": [
        *((lambda x, m=m: np.quantile(x, [0.1, 0.35, 0.8], axis=1, method=m), numbers((2, 7))) for m in METHODS),
        (lambda x: np.quantile(x, 0.3), A),
        (lambda x: np.quantile(x, 0.0), A),
        (lambda x: np.quantile(x, 1), A),
        (lambda x: np.quantile(x, [[0.2, 0.5], [0.6, 0.9]], axis=(0, 2), keepdims=True), CUBE),
        (lambda x: np.quantile(x, 0.4, axis=1, weights=[3, 1, 2], method="inverted_cdf"), A),
        (lambda x: np.quantile(x, [0.4, 0.9], weights=B, method="inverted_cdf"), A),
        (lambda x, q: np.quantile(x, q, axis=0), FIVE[:, None] * A[0], np.array([0.1, 0.35])),
        *(
            (lambda x, q, m=m: np.quantile(x, q, method=m), FIVE, np.float64(0.37))
            for m in ("hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf", "linear")
        ),
    ],
    "percentile": [(lambda x: np.percentile(x, 30, axis=-1), A), (lambda x: np.percentile(x, [20, 75.0], axis=0), A)],
    "nansum": [(lambda x: np.nansum(holes(x)), A), (lambda x: np.nansum(holes(x), axis=1, keepdims=True), CUBE)],
    "nanprod": [(lambda x: np.nanprod(holes(x), axis=0), A),
        (lambda x: np.nanprod(holes(x), initial=2.0, where=MASK), A)],
    "nanmean": [(lambda x: np.nanmean(holes(x), axis=1), A), (lambda x: np.nanmean(holes(x), where=MASK), A)],
    "nanvar": [(lambda x: np.nanvar(holes(x), axis=1), numbers((2, 5))),
        (lambda x: np.nanvar(holes(x), ddof=1, keepdims=True), A), (lambda x: np.nanvar(holes(x), correction=1), A)],
    "nanstd": [(lambda x: np.nanstd(holes(x), axis=(0, 2), ddof=0.5), CUBE), (lambda x: np.nanstd(holes(x)), A)],
    "nanmax": [(lambda x: np.nanmax(holes(x), axis=1), CUBE),
        (lambda x: np.nanmax(holes(x), initial=0.1, where=MASK, keepdims=True), A)],
    "nanmin": [(lambda x: np.nanmin(holes(x), axis=1), CUBE), (lambda x: np.nanmin(holes(x), initial=9.0), A)],
    "nanmedian": [(lambda x: np.nanmedian(holes(x), axis=1), CUBE), (lambda x: np.nanmedian(holes(x)), A)],
    "nanquantile": [
        *((lambda x, m=m: np.nanquantile(holes(x), [0.1, 0.7], axis=0, method=m), numbers((5, 2))) for m in METHODS),
        (lambda x: np.nanquantile(holes(x), 0.4, keepdims=True), CUBE),
        (lambda x, q: np.nanquantile(holes(x), q), A, np.float64(0.3))],
    "nanpercentile": [(lambda x: np.nanpercentile(holes(x), 40, axis=1), numbers((2, 5)))],
    "nancumsum": [(lambda x: np.nancumsum(holes(x), axis=1), A), (lambda x: np.nancumsum(holes(x)), A)],
    "nancumprod": [(lambda x: np.nancumprod(holes(x), axis=0), A), (lambda x: np.nancumprod(holes(x)), A)],
    "nan_to_num": [(lambda x: np.nan_to_num(holes(x)), A),
        (lambda x: np.nan_to_num(holes(x) + np.array([0.0, 1.0, np.inf]), nan=2.0, posinf=3.0), A),
        (lambda x: np.nan_to_num(x / np.array([1.0, np.inf, -2.0]), copy=False, neginf=-1.0), A)],
    "linalg.norm": [(np.linalg.norm, A), (np.linalg.norm, CUBE),
        *((lambda x, p=p: np.linalg.norm(x, p), FEW - 1) for p in (None, 1, 2, 3, 0.5, -2, 2.5, np.inf, -np.inf)),
        *((lambda x, p=p: np.linalg.norm(x, p, axis=0, keepdims=True), A - 1.1) for p in (1, 3, np.inf)),
        *((lambda x, p=p: np.linalg.norm(x, p), A - 1.1) for p in ("fro", 1, -1, np.inf, -np.inf)),
        *((lambda x, p=p: np.linalg.norm(x, p, axis=(0, 2), keepdims=True), CUBE) for p in ("fro", 1, -np.inf)),
        *((lambda x, p=p: np.linalg.norm(x, p, axis=(2, 0)), CUBE) for p in (None, -1, np.inf))],
    "linalg.vector_norm": [(np.linalg.vector_norm, CUBE),
        (lambda x: np.linalg.vector_norm(x, axis=(0, 1), ord=3, keepdims=True), CUBE),
        (lambda x: np.linalg.vector_norm(x, ord=-np.inf), CUBE)],
    "linalg.matrix_norm": [(np.linalg.matrix_norm, CUBE),
        (lambda x: np.linalg.matrix_norm(x, ord=1, keepdims=True), CUBE),
        (lambda x: np.linalg.matrix_norm(x, ord=-np.inf), A)],
    "histogram": [(lambda w: np.histogram(FIVE, bins=3, weights=w)[0], FIVE),
        (lambda x: np.histogram(x, bins=3)[1], FIVE), (lambda x: np.histogram(x, bins=3, density=True)[0], FIVE),
        (lambda x, w: np.histogram(x, [0.4, 0.9, 1.1, 1.7], weights=w, density=True)[0], A, B),
        (lambda e: np.histogram(FIVE, e, density=True)[0], np.array([0.4, 0.9, 1.1, 2.7])),
        (lambda x, w: np.histogram(x, 4, range=(0.0, 3.0), weights=w)[0] * np.sum(x), A, B)],
    "histogram_bin_edges": [(lambda x: np.histogram_bin_edges(x, 4), A),
        (lambda x: np.histogram_bin_edges(x, "auto"), A), (lambda x: np.histogram_bin_edges(x), ONE),
        (lambda x: np.histogram_bin_edges(FIVE, x), FEW[np.argsort(FEW)])],
    "histogram2d": [
        (lambda x, w: np.histogram2d(x, FIVE, 3, weights=w)[0] * np.sum(x), numbers((5,), seed=8) ** 3, FIVE),
        (lambda x: np.histogram2d(x, FIVE, [2, 3], density=True)[0], numbers((5,), seed=8) ** 3),
        (lambda w: np.histogram2d(FIVE, FIVE, [0.4, 0.9, 2.0], weights=w)[0], FIVE),
        (lambda e: np.histogram2d(FIVE, FIVE, [e, 2], density=True)[0], np.array([0.4, 0.9, 1.1, 2.7])),
        (lambda x: np.histogram2d(x, FIVE, 2, range=[[0.3, 2.0], [0.1, 2.5]])[0] * np.sum(x), FIVE)],
    "histogramdd": [(lambda x: np.histogramdd(x, 2, density=True)[0], numbers((5, 3))),
        (lambda x, w: np.histogramdd([x, FIVE], (2, [0.5, 1.0, 1.6]), weights=w)[0], numbers((5,), seed=8) ** 3, FIVE),
        (lambda x: np.histogramdd(x, 2)[1][2], numbers((5, 3)))],
    "bincount": [(lambda w: np.bincount([0, 2, 2], weights=w), FEW),
        (lambda w: np.bincount(np.array([1, 1, 0]), w, minlength=4), FEW),
        (lambda w: np.bincount([True, False, True], w), FEW)],
}  # fmt: skip
