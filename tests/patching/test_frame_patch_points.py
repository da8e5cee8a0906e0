"""The places that the names of a frame lead to."""

import math
import sys

from gradcli.patching.frame_patch_points import in_objects

OBJECTS = {id(math.sin): object()}
TABLE = {"deep": [{"sin": math.sin}]}


class Thing:
    """A holder of the user's."""

    attribute = math.sin


def test_what_names_lead_to():
    """Tables, classes and instances, in each other; not the standard library, NumPy or the built-in names."""

    def frame_of(*_):
        return sys._getframe(), TABLE, Thing, math, sys

    frame, *_ = frame_of(Thing(), {"own": math.sin}, [sys.modules], vars(sys.modules["builtins"]))
    found = list(in_objects(frame, OBJECTS))

    assert {"sin", "attribute", "own"} == {place.key for place in found}
    assert all(place.holder is not vars(math) for place in found)
