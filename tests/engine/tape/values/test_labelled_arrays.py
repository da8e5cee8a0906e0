"""Points of pandas and xarray: programs receive them under their labels, and derivatives come back under them."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import FindingWarning, PointError, TapeError, UsageError

pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")

SERIES = pd.Series([1.2, 2.3, 3.1], index=["a", "b", "c"], name="w")
OTHER = pd.Series([2.0, 5.0, 1.0], index=["b", "c", "a"])
FRAME = pd.DataFrame({"p": [1.0, 2.0, 4.0], "q": [3.0, 5.0, 0.5]}, index=["r", "s", "t"])
ARRAY = xr.DataArray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], {"t": [10, 20], "x": ["a", "b", "c"]}, ("t", "x"), "T")


def differences(f, point):
    """The central differences of a function of an object with labels, as an array."""
    numbers = np.array(point, float)
    slopes = np.empty(numbers.shape)
    for place in np.ndindex(numbers.shape):
        moved = []
        for step in (1e-6, -1e-6):
            there = numbers.copy()
            there[place] += step
            of_xarray = hasattr(point, "dims")
            moved.append(f(point.copy(data=there) if of_xarray else point * 0 + there))
        slopes[place] = (float(moved[0]) - float(moved[1])) / 2e-6
    return slopes


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x["a"] * x.b + x.loc["c"] ** 2 + x.iloc[0],
        lambda x: x.mean() + x.std() + x.var() + x.median() + x.max() + x.prod(),
        lambda x: ((x - x.mean()) ** 2).sum() / x.std() + (x.max() / x - x["a"] * x).prod(),
        lambda x: (x * OTHER).sum() + (OTHER / x).sum() + x.mul(OTHER).sum(),
        lambda x: x.groupby(["u", "u", "v"]).sum().pow(2).sum(),
        lambda x: (x[x > 2.0] ** 2).sum() + x.where(x > 2.0, 0.0).sum() + (x["a":"b"] ** 2).sum(),
        lambda x: (x.cumsum() ** 2).sum() + (x.diff().dropna() ** 2).sum() + (x * x.shift(1)).iloc[1:].sum(),
        lambda x: x.apply(lambda v: v**2).sum() + (x.sort_values() * np.arange(3)).sum(),
        lambda x: pd.DataFrame({"p": x, "q": 2 * x}).assign(r=lambda d: d.p * d.q).r.sum(),
        lambda x: np.sum(np.sin(x) ** 2) + np.exp(-x / 2).sum() + np.linalg.norm(x.to_numpy()) + np.dot(x, x),
        lambda x: (np.asarray(x) ** 2).sum() + (x.values**2).sum() + (x.to_numpy() ** 3).sum(),
        lambda x: sum(v**2 for _, v in x.items()) + (pd.concat([x, 2 * x]) ** 2).sum() + x @ np.arange(3.0),
    ],
)
def test_a_series(f):
    gradient = gradcli.grad(f)(SERIES)

    assert gradient.index.equals(SERIES.index)
    assert gradient.name == "w"
    assert np.allclose(gradient, differences(f, SERIES), atol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x.shift(1) * x).sum() + (x.diff() ** 2).mean() + x.pct_change().sum(),
        lambda x: (x.diff() * x).std() + (x.diff() * x).max() + (x.diff() * x).median() + (x.diff() * x).prod(),
        lambda x: (x.diff() * x).cumsum().sum() + (x.diff() * x).cumprod().sum(),
        lambda x: (x * OTHER.iloc[:2]).sum() + pd.DataFrame({"p": x, "q": x.shift(1)}).mean().sum(),
    ],
)
def test_missing_numbers_do_not_count(f):
    value, gradient = gradcli.value_and_grad(f)(SERIES)

    assert value == pytest.approx(f(SERIES))
    assert np.allclose(gradient, differences(f, SERIES), atol=1e-6)


def test_missing_numbers_count_where_they_are_not_skipped():
    value, _ = gradcli.value_and_grad(lambda x: x.iloc[0] + (x.shift(1).sum(skipna=False) > 0))(SERIES)

    assert value == SERIES.iloc[0]


@pytest.mark.parametrize(
    "f",
    [
        lambda d: (d["p"] * d.q).sum() + d.loc["s", "q"] ** 2,
        lambda d: (d[["p"]] ** 2).sum().sum() + d.iloc[:, 1].max(),
        lambda d: d.p.groupby([1, 1, 2]).mean().prod() + (d.sum() ** 2).sum() + (d + d.q.iloc[0]).p.sum(),
    ],
)
def test_a_frame(f):
    gradient = gradcli.grad(f)(FRAME)

    assert gradient.index.equals(FRAME.index)
    assert gradient.columns.equals(FRAME.columns)
    assert np.allclose(gradient, differences(f, FRAME), atol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x.sum("t") ** 2).sum() + x.mean(),
        lambda x: x.sel(t=10, x="b") ** 2 + x.isel(x=0)[1] * x[0, 1],
        lambda x: (x.diff("t") ** 2).sum() + x.where(x > 2.5, 0.0).sum(),
        lambda x: x.weighted(xr.DataArray([1.0, 2.0], dims="t")).mean("t").prod(),
        lambda x: np.sum(np.sin(x)) + x.groupby("x").sum().max(),
    ],
)
def test_a_data_array(f):
    gradient = gradcli.grad(f)(ARRAY)

    assert gradient.coords.equals(ARRAY.coords)
    assert (gradient.dims, gradient.name) == (("t", "x"), "T")
    assert np.allclose(gradient, differences(f, ARRAY), atol=1e-6)


def test_structures_hold_them():
    gradient = gradcli.grad(lambda p: (p["s"] * p["k"]).sum() * p["a"].sum("t")[0])({"s": SERIES, "k": 2.0, "a": ARRAY})

    assert gradient["s"].equals(pd.Series([10.0, 10.0, 10.0], SERIES.index, name="w"))
    assert gradient["k"] == pytest.approx(SERIES.sum() * 5.0)
    assert gradient["a"].sel(x="a").values == pytest.approx([13.2, 13.2])


@pytest.mark.parametrize(
    ("derivative", "expected"),
    [
        (lambda f: gradcli.value_and_grad(f)(SERIES)[1], [2.3, 1.2, 6.2]),
        (lambda f: gradcli.grad(f, compile=True)(SERIES), [2.3, 1.2, 6.2]),
        (lambda f: gradcli.grad(lambda x: (f(x), 2 * x), has_aux=True)(SERIES)[1], [2.4, 4.6, 6.2]),
        (lambda f: gradcli.vjp(f, SERIES)[1](1.0)[0], [2.3, 1.2, 6.2]),
        (lambda f: gradcli.hvp(f, SERIES, OTHER[["a", "b", "c"]]), [2.0, 1.0, 10.0]),
        (lambda f: gradcli.grad(lambda x: (gradcli.grad(f)(x) ** 2).sum())(SERIES), [2.4, 4.6, 24.8]),
        (lambda f: gradcli.elementwise_grad(lambda x: x**2)(SERIES), [2.4, 4.6, 6.2]),
    ],
)
def test_each_derivative_in_the_form_of_a_point(derivative, expected):
    """They have the labels and no recorded values."""
    made = derivative(lambda x: x["a"] * x["b"] + x["c"] ** 2)

    assert made.index.equals(SERIES.index)
    assert made.to_numpy().tolist() == pytest.approx(expected)


def test_matrices_are_arrays():
    f = lambda x: x["a"] * x["b"] + x["c"] ** 2

    assert gradcli.hessian(f)(SERIES).tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    assert gradcli.jacobian(lambda x: x.sum("t"))(ARRAY).shape == (3, 2, 3)


def test_checks():
    f = lambda x: x["a"] * x["b"] + x["c"] ** 2
    claimed = lambda x: pd.Series([x["b"], x["a"], 2 * x["c"]], x.index)

    assert gradcli.check(f, at=SERIES).verdict == "pass"
    assert gradcli.check(f, at=SERIES, against=claimed).verdict == "pass"
    assert gradcli.check(f, at={"x": SERIES}, against=lambda x: 1.5 * claimed(x)).verdict == "fail"


def test_dtypes():
    f = lambda x: (x**2).sum()

    assert gradcli.grad(f)(SERIES.astype("float32")).dtype == np.float32
    with pytest.warns(FindingWarning, match="G501"):
        assert gradcli.grad(f)(pd.Series([1, 2])).tolist() == [2.0, 4.0]
    assert gradcli.grad(f)(pd.Series([1.0, 2.0], dtype="Float64")).tolist() == [2.0, 4.0]
    assert gradcli.grad(f)(pd.Series([], dtype=float)).empty
    with pytest.raises(PointError, match="an array of object cannot be an input"):
        gradcli.grad(f)(pd.Series(["a"]))


@pytest.mark.parametrize(
    ("f", "point"),
    [
        (lambda x: x.rolling(2).mean().iloc[-1], SERIES),
        (lambda x: np.linalg.norm(x), SERIES),
        (lambda d: (d.values @ np.array([1.0, 2.0])).sum(), FRAME),
        (lambda x: x.interp(t=15).sum(), ARRAY),
    ],
)
def test_what_cannot_be_followed_is_refused_at_its_line(f, point):
    with pytest.raises((TapeError, gradcli.GradcliError)) as refused:
        gradcli.grad(f)(point)

    assert (refused.value.file, refused.value.line) == (f.__code__.co_filename, f.__code__.co_firstlineno)


@pytest.mark.parametrize("f", [lambda x: x.quantile(0.3), lambda x: x.rolling(2).mean().sum(), lambda x: x.skew()])
def test_what_pandas_computes_itself_is_refused_with_what_to_write(f):
    with pytest.raises(gradcli.GradcliError) as refused:
        gradcli.grad(f)(SERIES)

    assert "plain numbers" in str(refused.value)
    assert "x.to_numpy()" in refused.value.hint


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (SERIES * x).sum(),
        lambda x: ((SERIES + x) ** 2).mean(),
        lambda x: ((x - SERIES) / (SERIES - 2 * x)).sum(),
        lambda x: (FRAME["p"] * x + FRAME["q"] ** x).sum(),
        lambda x: np.sum(np.exp(-SERIES * x)),
        lambda x: (FRAME * x).sum().sum(),
        lambda x: (SERIES * (np.arange(3.0) * x)).sum(),
        lambda x: (SERIES[SERIES > x] * x).sum(),
        lambda x: (ARRAY * x).sum(),
        lambda x: ((x * SERIES) * OTHER).sum() + (SERIES / x).dot(OTHER),
        lambda x: (np.add(SERIES, x) * OTHER).sum() + (x * SERIES**2).std() + (x - SERIES).abs().max(),
        lambda x: (x * OTHER)["c"] + (x * OTHER).iloc[0] + (OTHER * x).loc["b"],
        lambda x: (x * SERIES).groupby(["u", "u", "v"]).sum().pow(2).sum() + (SERIES[x < SERIES] * x).sum(),
        lambda x: (x * FRAME).sum().sum() + FRAME.assign(r=x * FRAME["p"]).r.sum(),
        lambda x: ((np.arange(3.0) * x) * SERIES * OTHER).sum() + (np.arange(3.0) * x) @ SERIES,
        lambda x: ((x * ARRAY[0]) * ARRAY[1].isel(x=[2, 0])).sum(),
    ],
)
def test_labelled_data_of_the_program_and_a_number(f):
    """A program multiplies its own data by the number that it is differentiated by."""
    step = 1e-6

    assert np.isclose(gradcli.grad(f)(1.5), (float(f(1.5 + step)) - float(f(1.5 - step))) / (2 * step))


def test_an_argument_that_holds_itself_is_named():
    inside = [1.0]
    inside.append(inside)

    with pytest.raises(UsageError, match="Argument 0 is a list that holds itself"):
        gradcli.grad(lambda x: x[0])(inside)
