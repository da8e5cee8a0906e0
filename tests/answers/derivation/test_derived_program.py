"""The file of a derived program."""

import os
import subprocess
import sys

import numpy as np
import pytest

import gradcli
from gradcli.errors import UsageError


@pytest.mark.parametrize(("lang", "ending"), [("python", "py"), ("c", "c"), ("latex", "tex"), ("numba", "py")])
def test_saving(lang, ending, tmp_path):
    """A file in another language is refused, and so is one that gradcli did not derive."""
    source = gradcli.derive("x*x", at=2.0, lang=lang)
    for _ in range(2):
        source.save(tmp_path / f"square.{ending}")
    (tmp_path / f"mine.{ending}").write_text("mine")

    assert str(source) == (tmp_path / f"square.{ending}").read_text(encoding="utf-8")
    for refused in (f"mine.{ending}", "square.c" if lang != "c" else "square.tex"):
        with pytest.raises(UsageError):
            source.save(tmp_path / refused)


DERIVING = """
import gradcli
from tests.answers.derivation import array_programs
for lang in ("python", "c"):
    print(gradcli.derive(array_programs.recurrent, at=array_programs.PROGRAMS[array_programs.recurrent][0], lang=lang))
"""


@pytest.mark.long
def test_the_text_is_the_same_in_every_process():
    """The order of its lines does not depend on the seed with which Python hashes names."""
    command = [sys.executable, "-c", DERIVING]
    texts = {
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    }

    assert len(texts) == 1


def two_layers(x, w_first, b_first, w_second, b_second):
    h = np.tanh(x @ w_first + b_first)
    o = h @ w_second + b_second
    return np.mean(o**2)


def test_a_long_tuple_has_an_item_a_line():
    point = (np.ones((1, 2)), np.ones((2, 2)), np.ones(2), np.ones((2, 1)), np.ones(1))

    text = str(gradcli.derive(two_layers, at=point))

    assert text.endswith(
        "    return (\n"
        "        s_2 @ w_first.T,\n"
        "        x.T @ s_2,\n"
        "        sum_to(s_2, np.shape(b_first)),\n"
        "        h.T @ s_o,\n"
        "        sum_to(s_o, np.shape(b_second)),\n"
        "    )\n"
    )
