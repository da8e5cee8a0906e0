"""Arrays in C whose lengths change: loops up to a length that is known at run time."""

import shutil

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.languages.c import trial
from gradcli.answers.derivation.verification import flat
from gradcli.errors import UnsupportedError
from tests.answers.derivation.kernels import KERNELS, of_correlation
from tests.answers.derivation.languages.test_c import called, compiled, named
from tests.answers.derivation.varying_lengths import PROGRAMS, REFUSED, VECTOR, kept_for_the_way_back

IN_C = [kernel for kernel in KERNELS if kernel is not of_correlation]  # which writes at the places of a mask
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture
def sanitized(monkeypatch):
    """Let programs end at an error in their use of memory when they are compared with Python."""
    monkeypatch.setattr(trial, "FLAGS", (*trial.FLAGS, *SANITIZERS))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_agrees_with_the_python_one(function, sanitized, tmp_path):
    source = gradcli.derive(function, at=(PROGRAMS[function],), lang="c")
    in_c = compiled(source, tmp_path)
    for point in (PROGRAMS[function], np.cos(PROGRAMS[function])):
        expected = source.function(point.copy()).ravel().tolist()

        assert called(in_c, (point,), np.array(expected)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kernel", IN_C, ids=lambda f: f.__name__)
def test_a_kernel_agrees_with_the_python_one(kernel, sanitized, tmp_path):
    point = KERNELS[kernel]
    source = gradcli.derive(kernel, at=named(kernel, point), lang="c")
    expected = source.function(*point)

    assert called(compiled(source, tmp_path), point, expected) == pytest.approx(flat(expected), rel=1e-10)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_is_refused(function):
    with pytest.raises(UnsupportedError, match="in C") as refused:
        gradcli.derive(function, at=(VECTOR,), lang="c")

    assert REFUSED[function] in refused.value.message


def test_arrays_on_the_stack_are_followed_by_their_lengths():
    text = str(gradcli.derive(kept_for_the_way_back, at=(VECTOR,), lang="c"))

    assert "part_length = (int)stack[--stack_length];" in text
    assert "for (int j = 0; j < i; ++j) {" in text
