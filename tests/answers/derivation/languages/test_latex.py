"""Derived gradients in LaTeX: the lines of the function, and the sweep back with the chain rule."""

import inspect
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

import gradcli
from examples.hyperbox import f4
from gradcli.errors import UnsupportedError
from tests.answers.derivation import array_programs, scalar_programs

DOCUMENT = r"""\documentclass{article}
\usepackage[a3paper,landscape,margin=1cm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\begin{document}
%s
\end{document}
"""
STEP = 6
CALLING = ("calls", "recursive", "fourier")
PROGRAMS = {
    each: points
    for each, points in {**scalar_programs.PROGRAMS, **array_programs.PROGRAMS}.items()
    if each.__name__ not in CALLING
}

F4 = r"""
  s_{cd} &= \frac{\partial t_{bcd}}{\partial t_{cd}} \, s_{bcd} + \frac{\partial t_{acd}}{\partial t_{cd}} \, s_{acd} \\
  &= t_{b} \, s_{bcd} + t_{a} \, s_{acd} \\
"""

NEWTON = r"""\begin{align*}
  &\mathit{stack} \gets \left(\right) \\
  &x \gets a \\
  &\text{repeat } 6 \text{ times}\colon \\
  &\quad t_{1} \gets \frac{a}{x} \\
  &\quad \text{put } x \text{ on } \mathit{stack} \\
  &\quad x \gets 0.5 \, \left(x + t_{1}\right) \\
  &\quad \text{put } t_{1} \text{ on } \mathit{stack} \\
"""


def latex(function: Any) -> str:
    """The program of a function at its first point."""
    point = PROGRAMS[function][0]
    names = inspect.signature(function).parameters
    return str(gradcli.derive(function, at=dict(zip(names, point, strict=False)), lang="latex"))


def test_the_seeds_function():
    text = str(gradcli.derive(f4, at=[1.0, 2.0, 3.0, 4.0], lang="latex"))

    assert F4 in text
    assert r"  s_{s} &= \frac{\partial \mathit{ret}}{\partial t_{s}} = 2 \\" in text
    assert r"  \nabla f_{4} &= \left(s_{a}, s_{b}, s_{c}, s_{d}\right)" in text


def test_a_loop():
    assert NEWTON in latex(scalar_programs.newton)


def test_the_path_of_one_run():
    text = str(gradcli.derive(scalar_programs.newton, at=2.0, straight=True, lang="latex"))

    assert r"s_{a} &= " in text
    assert r"\text{repeat" not in text


def lists_of_zeros(xs):
    """Lists and nested lists that are filled."""
    a = [0.0] * 2
    b = [[0.0] * 2 for _ in range(2)]
    c = [0.0, 0.0]
    w = [2.0, 2.0]
    for k in range(2):
        a[k] = xs[k] * xs[k]
        b[k][0] = a[k] * w[k]
        c[k] = b[k][0] * a[0]
    return c[0] * c[1]


def test_lists_of_zeros():
    text = str(gradcli.derive(lists_of_zeros, at=([1.0, 2.0],), lang="latex"))

    for name in ("a", "b", "c", "s_{a}", "s_{b}", "s_{c}", r"s_{xs}"):
        assert rf"&{name} \gets 0 \\" in text
    assert r"\left(2, 2\right)" in text
    assert r"\cdot 2 \\" not in text


def test_arrays_of_zeros():
    def f(x):
        y = np.zeros_like(x)
        y[0] = x[1]
        return np.sum(x * y)

    text = str(gradcli.derive(f, at=(np.array([1.0, 2.0]),), lang="latex"))

    assert r"  &y \gets 0 \\" in text


def test_a_call():
    """The lines of a called function stand at its call; one that calls itself has none."""
    assert str(gradcli.derive(scalar_programs.calls, at=(0.4, 1.5), lang="latex")).count("square") == 0
    with pytest.raises(UnsupportedError, match="the call of power by itself"):
        gradcli.derive(scalar_programs.recursive, at=(0.4,), lang="latex")


@pytest.mark.sampled(16)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_brackets_come_in_pairs(function):
    text = latex(function).replace(r"\{", "").replace(r"\}", "")

    assert text.count("{") == text.count("}")
    assert text.count(r"\left") == text.count(r"\right")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX")
def test_it_compiles(tmp_path):
    texts = [str(gradcli.derive(f4, at=[1.0, 2.0, 3.0, 4.0], lang="latex")), *map(latex, list(PROGRAMS)[::STEP])]
    (tmp_path / "all.tex").write_text(DOCUMENT % "\n".join(texts), encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, errors="replace")

    assert done.returncode == 0, done.stdout[-1500:]
