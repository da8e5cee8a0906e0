"""Compiled gradients of random programs and of the corpus are those of the eager gradient."""

import pytest

from benchmarks import compiled_equality
from tests.corpus import CLAIMS
from tests.generated.numeric_programs import ArrayWriter, ScalarWriter


@pytest.mark.long
@pytest.mark.parametrize("first", range(1, 41, 10))
def test_random_programs(first, capsys):
    assert compiled_equality.main([str(first), str(first + 10)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("writer", [ScalarWriter, ArrayWriter])
def test_numeric_programs_reach_c(writer):
    """The first seeds of which that is so."""
    seeds = {ScalarWriter: 1, ArrayWriter: 3}
    _, f, argnums, point = next(compiled_equality.programs(seeds[writer], seeds[writer] + 1))

    assert compiled_equality.difference(f, argnums, point) == ("C", "")


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
