"""The stand-in beside the CuPy that is installed, whose import needs no device."""

import contextlib
import re
import zlib
from pathlib import Path

import pytest

from gradcli.shared import devices
from tests.standin import array, survey

pytestmark = pytest.mark.long

MESSAGES = (
    array.NO_CONVERSION,
    "Unsupported type",
    "is not supported yet",
    "non-scalar numpy.ndarray cannot be used for fill",
    "Only cupy arrays can be concatenated",
    *devices.MIXING,
)


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


def test_the_table_is_that_of_its_release(cupy):
    written = survey.FILE.read_text(encoding="utf-8").splitlines()
    if written[0].split()[2].rstrip(";") != cupy.__version__:
        pytest.skip(f"the table is of another release: {written[0]}")

    assert written[1:] == list(survey.lines())


def test_the_stand_in_has_no_member_of_its_own(cupy):
    members = {name for name in vars(array.ndarray) if not name.startswith("_") and name != "base"}

    assert members - set(dir(cupy.ndarray)) == set()


def test_the_stand_in_lacks_what_an_array_lacks(cupy):
    operators = {name for name in vars(array.ndarray) if name.startswith("__")}

    assert not hasattr(cupy.ndarray, "__index__")
    assert "__index__" not in operators


def test_what_the_namespaces_are_asked_for(cupy):
    for module, names in {
        cupy: ("asarray", "array", "ndarray", "float32", "float64", "__version__"),
        cupy.cuda: ("Device", "Stream", "runtime"),
        cupy.cuda.runtime: ("getDeviceCount", "getDeviceProperties", "CUDARuntimeError"),
        cupy.cuda.memory: ("OutOfMemoryError",),
    }.items():
        assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("message", MESSAGES)
def test_the_messages_that_are_recognised(cupy, message):
    folder = Path(cupy.__file__).parent
    texts = (each.read_bytes() for each in (*folder.rglob("*.py"), *(folder / "_core").glob("*.so")))

    assert any(message.encode() in text or message.encode() in unpacked(text) for text in texts)


def unpacked(compiled):
    """The texts that Cython packs into a module."""
    found = b""
    for start in re.finditer(rb"x[\x01\x5e\x9c\xda]", compiled):
        with contextlib.suppress(zlib.error):
            found += zlib.decompressobj().decompress(compiled[start.start() :][:200_000])
    return found
