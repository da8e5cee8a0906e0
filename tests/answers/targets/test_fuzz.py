"""Random text: a target and a point answer with a result or with an error of ours, and with nothing else."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.answers.targets import as_point, modules, parse_point, resolve
from gradcli.errors import GradcliError
from tests.answers.targets.conftest import target_of

TARGETS = [
    target_of(lambda x: x),
    target_of(lambda x, y: x),
    target_of(lambda x, k=3, *args, m, n=2, **options: x),
    resolve("x + e*y"),
]

WORDS = r"""
    x y args é = , : :: [ ] { } ( ) " ' 1 -2.5 1e3 nan inf pi e true null x=[1,2] ** +
    @ .json .npy .py / \ ~ ./
"""
words = st.sampled_from([*WORDS.split(), " ", "\0", "\n"])
texts = st.one_of(st.text(max_size=60), st.lists(words, max_size=25).map("".join))
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text(max_size=5) | st.binary()
)
objects = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.lists(parts, max_size=3),
        st.lists(parts, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from(["x", "y", "k", "args", "m", 1]), parts, max_size=3),
    ),
    max_leaves=8,
)


@pytest.fixture(autouse=True, scope="module")
def no_imports():
    """No module is there to import: random text must not run whatever happens to be installed."""

    def refuse(name):
        raise ModuleNotFoundError(name, name=name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(modules, "importlib", SimpleNamespace(import_module=refuse))
        yield


def answer(read, *arguments):
    """The result, or the text of the error of ours."""
    try:
        return read(*arguments)
    except GradcliError as error:
        return str(error)


def is_answer(point, target):
    """Whether it is a text, or a point that its target can be called with."""
    return bool(point) if isinstance(point, str) else list(point) == list(target.with_inputs(point).names)


@given(texts)
@settings(max_examples=2 * settings().max_examples)
def test_random_targets(text):
    assert answer(resolve, text)


@given(texts, st.sampled_from(TARGETS))
@settings(max_examples=6 * settings().max_examples)
def test_random_points(text, target):
    assert is_answer(answer(parse_point, text, target), target)


@given(objects, st.sampled_from(TARGETS))
@settings(max_examples=2 * settings().max_examples)
def test_random_objects(value, target):
    assert is_answer(answer(as_point, value, target), target)
