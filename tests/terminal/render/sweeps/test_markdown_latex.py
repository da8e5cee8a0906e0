"""A sweep in Markdown and LaTeX, whole, and terms as mathematics."""

import pytest

from gradcli import queries
from gradcli.terminal.render import Look, record_text
from gradcli.terminal.render.sweeps.markdown_latex import addends, maths
from tests.terminal.render import samples

LATEX = r"""\noindent Add $\epsilon$ to p after f.py:3, and the result changes by 1.0 $\epsilon$: s\_p = 1.0.

\noindent \texttt{f.py:4}\quad \texttt{r = p + 0.25}
\begin{align*}
s_{p} &\mathrel{+}= 1 &&= 1.0
\end{align*}
\noindent \texttt{f.py:3}\quad \texttt{p = x * y}
\begin{align*}
s_{x} &\mathrel{+}= y \, s_{p} &&= 3.0 \\
s_{y} &\mathrel{+}= x \, s_{p} &&= 2.0
\end{align*}
\begin{align*}
\frac{\partial f}{\partial x} &= 3.0 \\
\frac{\partial f}{\partial y} &= 2.0
\end{align*}
"""


def test_an_explanation() -> None:
    """No line is broken for a width."""
    assert record_text(samples.EXPLANATION, Look(width=30), form="latex") == LATEX


@pytest.mark.parametrize("form", ["md", "latex"])
def test_forwards(form: str) -> None:
    last = record_text(samples.FORWARD_SWEEP, Look(), form=form).splitlines()[-1]

    assert last.replace("$", "") == "The derivative in this direction is 3.0."


def branching(x: float) -> float:
    """A line that only decides stands between two that compute."""
    y = x * x
    if y > 1:
        y = 2 * y
    return y


def test_remarks_alone_end_a_paragraph() -> None:
    """The next line of the program begins a new one."""
    text = record_text(queries.explain(f"{__file__}:branching", "3"), Look(), form="latex")

    assert "is true}\n\n\\noindent" in text


def test_a_long_sum_has_a_line_for_each_addend() -> None:
    assert addends("s_a / sum(b + c) - f(a - b)[0] + d") == ["s_a / sum(b + c)", "- f(a - b)[0]", "+ d"]


def test_many_equations_may_be_parted() -> None:
    x = ",".join("1" * 30)
    text = record_text(queries.explain("sum(x)", f"x=[{x}]"), Look(), form="latex")

    assert "\\allowdisplaybreaks\\begin{align*}" in text


@pytest.mark.parametrize(
    ("expected", "term"),
    [
        (r"t_{\mathrm{cd}} \, s_{\mathrm{bcd}}", "t_cd * s_bcd"),
        (r"\frac{x^{2}}{\cos\left(y\right)}", "x ** 2 / cos(y)"),
        (r"\operatorname{einsum}\left(\texttt{'ij,j->i'}, s_{K}, x^{(2)}\right)", "einsum('ij,j->i', s_K, x#2)"),
        (r"x^{n - 1} \, y", "x ** (n - 1) * (y)"),
        (r"\lambda \, \Delta_{t} + \text{größe}", "λ * Δ_t + größe"),
        (r"x^{(3)} + 2.5 \cdot 10^{-7}", "x#3 + 2.5e-07"),
        (r"\mathrm{step}_{:-1}", "step[:-1]"),
        (r"s_{\mathrm{\%7}}", "s_%7"),
        (r"s_{x}^{(2.3)}", "s_x#2.3"),
        (r"2^{y_{0}} + 1", "2 ** y[0] + 1"),
        (r"\frac{2^{\sin\left(y\right)}}{x}", "2 ** sin(y) / x"),
        (r"x^{y^{2}}", "x ** y ** 2"),
        (r"x^{y^{\mathsf{T}}} - 1", "x ** y.T - 1"),
        (r"-\frac{x \, s}{y \, z}", "-x / y / z * s"),
        (r"\frac{y \, s_{z}}{9.81}", "y * (s_z / 9.81)"),
        (r"x - \frac{a}{b}", "x - a / b"),
        (r"x - \left(a + b\right)", "x - (a + b)"),
        (r"\left(a + b\right) \, c", "(a + b) * c"),
        (r"\left(\frac{1}{x}\right)^{2}", "(1 / x) ** 2"),
        (r"s_{\mathrm{out}} \, x^{\mathsf{T}}", "outer(s_out, x)"),
        (r"W_{2}^{\mathsf{T}} \, s", "W2.T @ s"),
        (r"-W^{\mathsf{T}} \, s", "-W.T @ s"),
        (r"1 - \left(-W \, s\right)", "1 - -W @ s"),
        (r"\left(x^{(3)}\right)^{2}", "x#3 ** 2"),
        (r"\frac{0.5 \, y^{2}}{x}", "y ** 2 / x * 0.5"),
        (r"(W_{1})_{0, 1}", "W1[0, 1]"),
        (r"\begin{cases} s & h > 1 \\ 0 & \text{else} \end{cases}", "where(h > 1, s, 0)"),
        (r"\sqrt{\alpha}", "sqrt(alpha)"),
        (r"2 \cdot 3", "2 * 3"),
        (r"\operatorname{f}\left(x, \text{axis} = 1\right)", "f(x, axis=1)"),
        (r"\mathrm{p.w}", "p.w"),
        (r"\texttt{[x for}", "[x for"),
    ],
)
def test_terms(expected: str, term: str) -> None:
    """Names have subscripts, quotients are fractions, powers have their exponents raised."""
    assert maths(term) == expected


def test_arrays_are_multiplied_by_elements() -> None:
    """A number times an array is a plain product; a sum of an array is a number."""
    assert maths("e * s_e", {"e": [1.0], "s_e": [2.0]}) == r"e \odot s_{e}"
    assert maths("array([1, 2]) * e", {"e": [1.0]}) == r"\left(1, 2\right) \odot e"
    assert maths("2 * e", {"e": [1.0]}) == r"2 \, e"
    total = maths("sum(e) * s", {"e": [1.0], "s": [2.0]})
    assert total.replace(r"\left(", "").replace(r"\right)", "") == r"\textstyle\sum e \, s"
