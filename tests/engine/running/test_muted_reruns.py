"""A function that is run again, to say more of an error, prints once."""

import math
import sys

import pytest

import gradcli


def fails(x):
    print("before")
    sys.stderr.write("aside\n")
    return math.sin(x) + "text"


def test_what_a_function_prints_before_it_fails_is_shown_once(capsys):
    """On both streams, at the first call and at later ones; the streams come back."""
    streams = sys.stdout, sys.stderr
    for _ in range(2):
        with pytest.raises(TypeError, match="float"):
            gradcli.grad(fails)(1.0)

        assert tuple(capsys.readouterr()) == ("before\n", "aside\n")
        assert streams == (sys.stdout, sys.stderr)
