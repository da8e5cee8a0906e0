"""Pictures of dots."""

import struct
import sys
import zlib

import pytest

from gradcli.errors import UsageError
from gradcli.terminal.render.graphs.svg import rasterized

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20"/></svg>'


def test_a_picture_has_the_mark() -> None:
    """Its chunks are whole, twice as many dots as points, and the mark is near the beginning."""
    pytest.importorskip("resvg_py")
    data = rasterized(SVG)
    at, kinds = 8, []
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kinds.append(data[at + 4 : at + 8])
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(data[at + 4 : at + 8 + size])
        at += 12 + size

    assert struct.unpack(">II", data[16:24]) == (60, 40)
    assert kinds[:2] == [b"IHDR", b"tEXt"]
    assert b"Software\0Drawn by gradcli" in data[:1024]


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(UsageError) as raised:
        rasterized(SVG)

    assert raised.value.hint == "pip install 'gradcli[plot]', or write a .svg file."
