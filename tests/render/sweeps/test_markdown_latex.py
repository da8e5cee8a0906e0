"""A sweep in Markdown and LaTeX, whole, and terms as mathematics."""

from __future__ import annotations

import pytest

from gradcli.render import Look, record_text
from gradcli.render.sweeps.markdown_latex import maths
from tests.render import samples

MARKDOWN = """\
# `f.py:f`

At x = 2.0, y = 3.0; value 6.25.

## `r = p + 0.25` — f.py:4

|  | adds | after | before | amount |
| --- | --- | ---: | ---: | ---: |
| `s_p` | `1` | 1.0 | 0.0 | 1.0 |

## `p = x * y` — f.py:3

|  | adds | after | before | amount |
| --- | --- | ---: | ---: | ---: |
| `s_x` | `y * s_p` | 3.0 | 0.0 | 3.0 |
| `s_y` | `x * s_p` | 2.0 | 0.0 | 2.0 |

## The gradient

| name | gradient |
| --- | ---: |
| `x` | 3.0 |
| `y` | 2.0 |
"""

LATEX = r"""\noindent \texttt{f.py:4}\quad \texttt{r = p + 0.25}
\begin{align*}
s_{\mathrm{p}} &\mathrel{+}= 1 & 1.0 &= 0.0 + 1.0
\end{align*}
\noindent \texttt{f.py:3}\quad \texttt{p = x * y}
\begin{align*}
s_{\mathrm{x}} &\mathrel{+}= y \cdot s_{\mathrm{p}} & 3.0 &= 0.0 + 3.0 \\
s_{\mathrm{y}} &\mathrel{+}= x \cdot s_{\mathrm{p}} & 2.0 &= 0.0 + 2.0
\end{align*}
\begin{align*}
\frac{\partial f}{\partial x} &= 3.0 \\
\frac{\partial f}{\partial y} &= 2.0
\end{align*}
"""


@pytest.mark.parametrize(("expected", "form"), [(MARKDOWN, "md"), (LATEX, "latex")])
def test_an_explanation(expected: str, form: str) -> None:
    """Nothing of it depends on the width."""
    assert expected == record_text(samples.EXPLANATION, Look(width=30), form=form)


@pytest.mark.parametrize("form", ["md", "latex"])
def test_forwards(form: str) -> None:
    """A forward sweep ends with its derivative."""
    last = record_text(samples.FORWARD_SWEEP, Look(), form=form).splitlines()[-1]

    assert "The derivative in this direction is 3.0." == last.replace("$", "")


@pytest.mark.parametrize(
    ("expected", "term"),
    [
        (r"t_{\mathrm{cd}} \cdot s_{\mathrm{bcd}}", "t_cd * s_bcd"),
        (r"x ^{2} / \cos ( y )", "x ** 2 / cos(y)"),
        (r"x ^{( n - 1 )} \cdot ( y )", "x ** (n - 1) * (y)"),
        (r"x^{(3)} + 2.5 \cdot 10^{-7}", "x#3 + 2.5e-07"),
        (r"\mathrm{step} [ : - 1 ]", "step[:-1]"),
        (r"s_{\mathrm{\%7}}", "s_%7"),
        (r"x ^{- 1} \cdot y", "x ** -1 * y"),
        (r"2 ^{y [ 0 ]} + 1", "2 ** y[0] + 1"),
        (r"2 ^{\sin ( y )} / x", "2 ** sin(y) / x"),
        (r"x ^{y ^{2}}", "x ** y ** 2"),
        (r"x ^{y . T} - 1", "x ** y.T - 1"),
    ],
)
def test_terms(expected: str, term: str) -> None:
    """Names have subscripts, products a dot, powers their exponents raised."""
    assert expected == maths(term)
