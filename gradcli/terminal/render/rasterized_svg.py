"""A drawing in SVG as a PNG picture, by the library resvg."""

from __future__ import annotations

import struct
import zlib
from importlib.util import find_spec
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.terminal.render.file_marks import PNG_SOFTWARE

ZOOM = 2  # dots a point: text stays sharp on a fine screen
AFTER_HEAD = 33  # bytes: the signature of a file, and the chunk with its size


def rasterized(svg: str) -> bytes:
    """The picture, in the light theme, with the mark that says whose it is.

    Raises:
        UsageError: the library is not installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        hint = "pip install 'gradcli[plot]', or write a .svg file."
        raise UsageError("A .png picture needs resvg, which is not installed.", hint=hint) from None
    data = bytes(svg_to_bytes(svg_string=svg, zoom=ZOOM, font_dirs=_fonts(), monospace_family="DejaVu Sans Mono"))
    return data[:AFTER_HEAD] + _mark() + data[AFTER_HEAD:]


def _fonts() -> list[str]:
    """The fonts that matplotlib brings along: a machine without a screen may have none."""
    spec = find_spec("matplotlib")
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" if spec and spec.origin else None
    return [str(folder)] if folder is not None and folder.is_dir() else []


def _mark() -> bytes:
    """The chunk of text that says who drew the picture."""
    (word, text), *_ = PNG_SOFTWARE.items()
    body = b"tEXt" + word.encode() + b"\0" + text.encode()
    return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
