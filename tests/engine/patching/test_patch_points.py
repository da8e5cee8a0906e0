"""Places: where a program holds replaceable objects, found and exchanged."""

import functools
import math

import pytest

from gradcli.engine.patching.patch_points import CODE, MISSING, Place, find_replacement, of_function, of_globals

OURS = object()
OBJECTS = {id(math.sin): OURS, id(math): OURS, id(float): "our float", id(type): "our type", id(complex): "ours"}
SINE = math.sin
TABLE = {"deep": [{"sin": math.sin}]}


class Thing:
    """A holder of the user's."""

    attribute = math.sin


def imports():
    import math

    return math.sin


def encloses(function):
    return lambda x: function(x)


@pytest.mark.parametrize(
    ("holder", "key"),
    [
        ({"f": math.sin}, "f"),
        ([1, math.sin], 1),
        (type("Made", (), {"f": math.sin}), "f"),
        (encloses(math.sin), 0),
    ],
    ids=["dict", "list", "class", "cell"],
)
def test_reading_and_writing(holder, key):
    place = Place(holder, key, math.sin, OURS)

    assert place.holder is holder
    assert place.read() is math.sin
    place.write(OURS)
    assert place.read() is OURS
    place.write(math.sin)
    assert place.read() is math.sin


def test_an_attribute_of_an_instance():
    thing = Thing()
    thing.own = math.sin
    Place(thing, "own", math.sin, OURS).write(OURS)

    assert (thing.own, Thing.attribute) == (OURS, math.sin)


def test_what_is_missing():
    """A name that is not there, which is taken away again at the end."""
    names = {}
    place = Place(names, "float", MISSING, OURS)

    assert place.read() is MISSING
    place.write(OURS)
    assert names == {"float": OURS}
    place.write(MISSING)
    assert names == {}
    assert Place([1], 5, MISSING, OURS).read() is MISSING
    assert Place(Thing(), "none", MISSING, OURS).read() is MISSING


def test_the_code_of_a_function():
    (place,) = (place for place in of_function(imports, OBJECTS) if place.key == CODE)
    before = imports.__code__

    assert "gradcli:math" in place.replacement.co_names
    assert before is place.original is place.read()
    assert "gradcli:math" not in before.co_names


def test_a_place_does_not_keep_its_holder_alive():
    """A function or instance that is gone is None."""
    thing = Thing()
    place = Place(thing, "own", MISSING, OURS)
    del thing

    assert place.holder is None


def test_replacements():
    """For an object itself, in a tuple, in a partial application; and for nothing else."""
    assert find_replacement(OBJECTS, math.sin) is OURS
    assert find_replacement(OBJECTS, (1, math.sin, (math.sin,))) == (1, OURS, (OURS,))
    assert find_replacement(OBJECTS, (1, 2)) is MISSING
    assert find_replacement(OBJECTS, [math.sin]) is MISSING
    assert find_replacement(OBJECTS, functools.partial(abs, 1)) is MISSING
    made = find_replacement({id(math.pow): max, id(math.sin): min}, functools.partial(math.pow, math.sin, key=1))
    assert (max, (min,), {"key": 1}) == (made.func, made.args, made.keywords)


def test_globals():
    """The names of a module that hold something, and the built-in names that it does not define."""
    found = {place.key: (place.original, place.replacement) for place in of_globals(globals(), OBJECTS)}

    assert {"math": (math, OURS), "SINE": (math.sin, OURS)}.items() <= found.items()
    assert found["float"] == (MISSING, "our float")
    assert found["type"] == (MISSING, "our type")
    assert {place.key for place in of_globals({"float": abs}, OBJECTS)} == {"type", "complex"}
