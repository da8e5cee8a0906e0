"""A sweep in Markdown and LaTeX, whole, and terms as mathematics."""

import pytest

from gradcli import queries
from gradcli.render import Look, record_text
from gradcli.render.sweeps.markdown_latex import addends
from tests.render import samples

MARKDOWN = """\
# `f.py:f`

At x = 2.0, y = 3.0; value 6.25.

Add ε to p after f.py:3, and the result changes by 1.0 ε: s_p = 1.0.

## `r = p + 0.25` — f.py:4

Gives `6.25`

|  | adds | now | before + amount |
| --- | --- | ---: | ---: |
| `s_p` | `1` | 1.0 |  |

## `p = x * y` — f.py:3

Gives `6.0`

|  | adds | now | before + amount |
| --- | --- | ---: | ---: |
| `s_x` | `y * s_p` | 3.0 |  |
| `s_y` | `x * s_p` | 2.0 |  |

## The gradient

| name | gradient |
| --- | ---: |
| `x` | 3.0 |
| `y` | 2.0 |
"""

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


@pytest.mark.parametrize(("expected", "form"), [(MARKDOWN, "md"), (LATEX, "latex")])
def test_an_explanation(expected: str, form: str) -> None:
    assert record_text(samples.EXPLANATION, Look(width=30), form=form) == expected


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
