"""Compiled gradients of random programs and of the corpus are those of the eager gradient."""

import pytest

from benchmarks import compiled_equality
from tests.corpus import CLAIMS


@pytest.mark.long
@pytest.mark.parametrize("first", range(1, 41, 10))
def test_random_programs(first, capsys):
    assert compiled_equality.main([str(first), str(first + 10)]) == 0, capsys.readouterr().out


def test_a_difference_is_found(monkeypatch):
    monkeypatch.setattr(compiled_equality, "agreeing", lambda *_: False)
    what, text = compiled_equality.difference(lambda x: x * x, 0, [2.0])

    assert what == "different"
    assert text.startswith("at [2.0]: (4.0, 4.0) [], and eager (4.0, 4.0) []")


@pytest.mark.long
def test_the_corpus_is_part_of_it():
    names = [name for name, *_ in compiled_equality.programs(0, 1)]

    assert names[0] == "program 0"
    assert len(names) > len(CLAIMS) / 2
