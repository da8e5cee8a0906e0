"""A word of the language is a few lines in few files: a copy of the package with words added knows them everywhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gradcli

# The lines of each file that a word takes: one that is a formula of other words, and one that has functions of its own.
LINES = {
    "haversin": {
        "mathematics/rules/elementwise.py": [
            ("# Steps that", 'row("haversin(x)", "square(sin(x / 2))", "sin(x) / 2")\n\n')
        ],
        "mathematics/language/vocabulary.py": [("    # name: (the least,", '    "haversin": (1, 1),\n')],
    },
    "airyfunction": {
        "mathematics/rules/special_functions.py": [
            ("# Hypergeometric", 'special("airyfunction(x)", "airyfunction(x)", "airyaip(x)", scipy="airy:0")\n\n')
        ],
        "mathematics/language/special_functions.py": [
            ('_TWO_ARGUMENTS = """', '_ONE_ARGUMENT += " airyfunction"\n'),
            ("    ellipk ellipk ", "    airyfunction airyai airyai,\n"),
        ],
    },
}

USED = """
import contextlib, io, json, sys
import numpy as np
import gradcli
from gradcli.terminal.cli import main
from gradcli.methods.exact import decimals
from gradcli.mathematics.rules import functions

def shown(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main([*arguments])
    return f"{code} {out.getvalue()}"

for word in sys.argv[1:]:
    typed, at = f"{word}(x*y)**2 + y", ["--at", "x=0.7,y=1.3"]

    def f(x, y):
        return functions()[word](x * y) ** 2 + y

    arrays = gradcli.grad(lambda x: np.sum(functions()[word](x)))(np.array([0.3, 0.8]))
    with decimals.digits(40):
        exact = decimals.functions()[word](decimals.number(0.91))
    print(json.dumps({
        "grad": shown("grad", typed, *at),
        "check": shown("check", typed, *at),
        "symbolic": shown("symbolic", typed),
        "latex": shown("symbolic", typed, "--format", "latex"),
        "explain": shown("explain", typed, *at),
        "precision": shown("precision", typed, *at),
        "tape": shown("tape", typed, *at),
        "help": shown("help", word),
        "operations": shown("help", "operations"),
        "words": "".join(gradcli.queries.functions()[word]),
        "eager": gradcli.value_and_grad(f, (0, 1))(0.7, 1.3),
        "arrays": arrays.tolist(),
        "exact": str(exact),
        "derive": shown("derive", typed, *at),
    }))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """All that a copy of the package with these words says of them."""
    folder = tmp_path_factory.mktemp("copy")
    copy = folder / "gradcli"
    shutil.copytree(Path(gradcli.__file__).parent, copy)
    for file, lines in (each for files in LINES.values() for each in files.items()):
        text = (copy / file).read_text(encoding="utf-8")
        for before, line in lines:
            assert text.count(before) == 1
            text = text.replace(before, line + before)
        (copy / file).write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "120"}
    command = [sys.executable, "-c", USED, *LINES]
    found = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, env=environment)
    return {word: json.loads(line) for word, line in zip(LINES, found.stdout.splitlines(), strict=True)}


@pytest.fixture(params=LINES)
def used(request, told):
    """A word, and what is said of it."""
    return request.param, told[request.param]


def test_a_word_takes_two_files():
    assert [len(files) for files in LINES.values()] == [2, 2]


def test_its_gradient_is_right(used):
    _, told = used
    value, gradient = told["eager"]

    assert told["check"].startswith("0 ")
    assert "2 checked: 2 PASS" in told["check"]
    assert "—" not in told["check"].partition("passes when")[0]
    assert all(f"{each}" in told["grad"] for each in (value, *gradient))
    assert len(told["arrays"]) == 2


def test_its_formula_is_known(used):
    word, told = used
    formula, latex, digits = {
        "haversin": ("sin(x*y/2)**4", r"\sin^{4}", "0.193127125"),
        "airyfunction": ("airyai(x*y)**2", r"Ai^{2}", "0.150165999"),
    }[word]

    assert formula in told["symbolic"]
    assert latex in told["latex"]
    assert told["exact"].startswith(digits)
    assert 38 <= len(told["exact"])


def test_its_gradient_is_written_out(told):
    """The value as the formula that defines the word, the partial as its row states it, with its constants folded."""
    assert told["haversin"]["derive"].startswith("0 ")
    assert "math.sin(t_1) * math.sin(t_1 / 2) ** 2" in told["haversin"]["derive"]


def test_it_is_told_of_in_words(used):
    word, told = used
    spelled = {"haversin": "haversin(x * y)", "airyfunction": "airy(x * y)[0]"}[word]

    assert f"{word}(x)" in told["help"]
    assert word in told["operations"]
    assert told["words"] == "(x)"
    assert spelled in told["explain"]
    assert f"{word}(x*y)" in told["tape"]
    assert "good digits" in told["precision"]
    assert "nan" not in told["precision"]
