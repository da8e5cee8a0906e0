"""Points of a file in chunks: rows of `.csv` and `.jsonl` as text, those of arrays and of Parquet as numbers."""

from __future__ import annotations

import math
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from gradcli.answers.targets.point_files import each_row, readable_rows
from gradcli.errors import PointError, UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import quoted
from gradcli.shared.regular_files import regular_file

_NUMBER = re.compile(r"(?<![\w.\]])([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])(?!\s*\]\s*=)")


def arrow() -> tuple[Any, Any]:
    """The modules `pyarrow` and `pyarrow.parquet`.

    Raises:
        UsageError: pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("A .parquet file needs pyarrow.", hint="pip install pyarrow, or name a .npy file.") from None
    return pyarrow, pyarrow.parquet


class PointLayout(Frozen):
    """The form of points that are given as rows of numbers.

    Args:
        texts: the pieces of a point as typed between its numbers; empty for arrays.
        shapes: the shape of each array by the name of its input; of a single one without a name by "".
    """

    texts: tuple[str, ...] = ()
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def point(self, row: Any) -> Any:
        """The point of a row of numbers, as typed or by name."""
        if self.texts:
            numbers = [*map(repr, row.tolist()), ""]
            return "".join(part for pair in zip(self.texts, numbers, strict=True) for part in pair)
        ends = np.cumsum([math.prod(shape) for _, shape in self.shapes])[:-1]
        parts = zip(self.shapes, np.split(row, ends), strict=True)
        arrays = {name: part.reshape(shape) for (name, shape), part in parts}
        return arrays.get("", arrays)


class Chunk(Frozen, eq=False):
    """Some points of a file.

    Args:
        number: the position of the chunk among all.
        first: the index of its first point.
        row_numbers: the number of each point's row in the file.
        points: the points as typed or the errors of their rows; or a table of shape (points, numbers).
        layout: the form of the points of a table; None for texts.
    """

    number: int
    first: int
    row_numbers: Sequence[int]
    points: Any
    layout: PointLayout | None = None

    def point(self, place: int) -> Any:
        """A point, as typed or by name, or the error of its row."""
        return self.points[place] if self.layout is None else self.layout.point(self.points[place])

    def tables(self) -> Iterator[tuple[PointLayout, Sequence[int], Any]]:
        """Yield the layout, the positions and the numbers of all points of the same form."""
        if self.layout is not None:
            yield self.layout, range(len(self.points)), self.points
            return
        forms: dict[tuple[str, ...], dict[int, list[str]]] = {}
        for place, text in enumerate(self.points):
            if isinstance(text, str):
                pieces = _NUMBER.split(text)
                forms.setdefault(tuple(pieces[::2]), {})[place] = pieces[1::2]
        for texts, numbers in forms.items():
            table = np.array([*numbers.values()], float).reshape(len(numbers), len(texts) - 1)
            yield PointLayout(texts), [*numbers], table


class PointFile(Frozen, eq=False):
    """A file of points.

    Args:
        name: its name.
        count: the number of its points; of text, about that of its lines.
        layout: the form of the points of tables; None for texts.
        read: yields points in lists or tables of a size, with the numbers of their rows, or None if they are counted.
    """

    name: str
    count: int
    layout: PointLayout | None
    read: Callable[[int], Iterator[tuple[Sequence[int] | None, Any]]]

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the points in chunks of a size, of which one at a time is in memory.

        Raises:
            PointError: the file cannot be read, or holds no point.
        """
        first = 0
        with readable_rows(self.name):
            for number, (rows, points) in enumerate(self.read(size)):
                yield Chunk(number, first, rows or range(first, first + len(points)), points, self.layout)
                first += len(points)


@contextmanager
def open_points(file: str) -> Iterator[PointFile]:
    """Open a file of points.

    Raises:
        PointError: the file cannot be read, or holds no point.
    """
    path, ending = os.path.expanduser(file), os.path.splitext(file)[1].lower()
    if ending in (".csv", ".jsonl"):
        with readable_rows(file), open(path, "rb", opener=regular_file) as lines:
            count = sum(1 for _ in lines)
        yield PointFile(file, count, None, partial(_texts, file))
        return
    if ending not in (".npy", ".npz", ".parquet"):
        message = f"The file {quoted(file)} is neither .jsonl, .csv, .npy, .npz nor .parquet."
        raise PointError(message, hint="Name another file.")
    with TemporaryDirectory() as folder:
        with readable_rows(file):
            points = _parquet(file, path) if ending == ".parquet" else _arrays(file, _unpacked(path, ending, folder))
        if not points.count:
            raise PointError(f"The file {quoted(file)} holds no point.")
        yield points


def _texts(file: str, size: int) -> Iterator[tuple[Sequence[int], Sequence[Any]]]:
    rows = each_row(file)
    while some := [*islice(rows, size)]:
        yield [row for row, _ in some], [text for _, text in some]


def _unpacked(path: str, ending: str, folder: str) -> Mapping[str, str]:
    """The file of each array by the name of its input; those of an archive are unpacked, so that they can be mapped."""
    if ending == ".npy":
        return {"": path}
    with zipfile.ZipFile(path) as archive:
        return {name.removesuffix(".npy"): archive.extract(name, folder) for name in archive.namelist()}


def _arrays(file: str, paths: Mapping[str, str]) -> PointFile:
    """The entries of all arrays side by side."""
    arrays = {name: np.lib.format.open_memmap(path, "r") for name, path in paths.items()}
    for array in arrays.values():
        if not array.ndim or array.dtype.kind not in "fiub":
            came = f"{array.dtype} of shape {array.shape}"
            raise ValueError(f"it holds {came}, where one number or array a point is needed")
    counts = {name: len(array) for name, array in arrays.items()}
    if len({*counts.values()}) > 1:
        lengths = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise ValueError(f"its arrays have different numbers of points: {lengths}")
    shapes = {name: array.shape[1:] for name, array in arrays.items()}
    is_typed = len(shapes.get("", (0, 0))) < 2
    layout = _typed([""] * math.prod(shapes[""])) if is_typed else PointLayout(shapes=tuple(shapes.items()))
    count = min(counts.values(), default=0)
    return PointFile(file, count, layout, partial(_mapped, [*paths.values()], count))


def _mapped(paths: Sequence[str], count: int, size: int) -> Iterator[tuple[None, Any]]:
    for first in range(0, count, size):  # mapped anew, so that what was read leaves the memory
        parts = [np.lib.format.open_memmap(path, "r")[first : first + size].astype(np.float64) for path in paths]
        yield None, np.hstack([part.reshape(len(part), -1) for part in parts])


def _typed(heads: Sequence[str]) -> PointLayout:
    """The layout of numbers that are typed one after another, each after its head."""
    return PointLayout((*(f",{head}" if n else head for n, head in enumerate(heads)), ""))


def _parquet(file: str, path: str) -> PointFile:
    pa, parquet = arrow()
    table = parquet.ParquetFile(path)
    for field in table.schema_arrow:
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            raise ValueError(f"its column {field.name} holds {field.type}, where numbers are needed")
    layout = _typed([f"{name}=" for name in table.schema_arrow.names])
    return PointFile(file, table.metadata.num_rows, layout, partial(_batches, path))


def _batches(path: str, size: int) -> Iterator[tuple[None, Any]]:
    for batch in arrow()[1].ParquetFile(path).iter_batches(size):
        yield None, np.column_stack([np.asarray(column, np.float64) for column in batch.columns])
