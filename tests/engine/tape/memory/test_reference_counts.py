"""Arrays that nothing else refers to, by the names, containers and views that may refer to them."""

import numpy as np
import pytest

from gradcli.engine.tape.memory.reference_counts import is_alone, owned_copy, referrers
from tests.standin.library import installed


def test_an_array_of_a_list_and_a_name_is_alone():
    held = [np.ones(3)]
    array = held[0]

    assert array is held[0]
    assert is_alone(held, 0)


def another_name(held):
    return held[0], held[0]


def another_container(held):
    return held[0], {"x": held[0]}


def a_view(held):
    return held[0], held[0][1:]


def a_buffer(held):
    return held[0], memoryview(held[0])


def an_iterator(held):
    return held[0], iter(held[0])


def a_closure(held):
    array = held[0]
    return lambda: array, array


def an_attribute(held):
    return held[0], type("Holder", (), {"array": held[0]})


@pytest.mark.parametrize(
    "refer", [another_name, another_container, a_view, a_buffer, an_iterator, a_closure, an_attribute]
)
def test_an_array_with_another_reader_is_not_alone(refer):
    held = [np.ones(3)]
    readers = refer(held)
    assert not is_alone(held, 0)
    del readers

    assert is_alone(held, 0)


@pytest.mark.parametrize("x", [np.ones((2, 3)).T, np.ones(4)[::2], np.broadcast_to(1.0, 3), np.float64(2.0), 1.5])
def test_what_is_no_array_of_its_own_is_not_alone(x):
    """A view shows the memory of another array, and a number cannot be overwritten."""
    assert not is_alone([x], 0)


def test_references_are_counted_besides_the_one_asked_by():
    array = np.ones(2)

    assert referrers([np.ones(2)], 0) == 0
    assert referrers([array], 0) == 1
    assert referrers([array, array, array], 0) == 3


@pytest.mark.parametrize("x", [np.float32(2.0), np.ones(3)])
def test_a_copy_can_be_overwritten(x):
    copy = owned_copy(x)
    copy[...] = 7.0

    assert np.all(x != 7.0)
    assert x.dtype == copy.dtype


def test_an_array_on_a_device_is_told_apart_from_its_views():
    with installed() as library:
        array, view = library.ones(3), library.ones(4)[1:]
        held = [array, view]

        assert is_alone(held, 0)
        assert not is_alone(held, 1)
        readers = [array[:2]]
        assert not is_alone(held, 0)
        readers.clear()
        assert is_alone(held, 0)
