"""Points of a file in chunks: rows of `.csv` and `.jsonl` as text, those of arrays and of Parquet as numbers."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any

import numpy as np

from gradcli.answers.targets.point_files import each_row, readable_rows
from gradcli.errors import PointError
from gradcli.many_points.arrow import arrow
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import quoted
from gradcli.shared.regular_files import regular_file

FORMATS = (".jsonl", ".csv", ".npy", ".npz", ".parquet")
_NUMBER = re.compile(r"(?<![\w.\]])([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])(?!\s*\]\s*=)")


def markers(width: int) -> Any:
    """A number for each column of a table, which says which it is: 0.5, 1.5 and so on."""
    return np.arange(width) + 0.5  # not whole, so that they are not read as counts


class PointLayout(Frozen):
    """The form of points that are given as rows of numbers: `point` makes the point as typed or by name of such a row.

    Args:
        names: the inputs or columns; empty for rows without names.
        shapes: the shape of each array of an `.npz` file; empty for numbers that are typed.
        texts: the pieces of a text between its numbers; empty for rows of a table.
    """

    names: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    texts: tuple[str, ...] = ()

    def point(self, row: Any) -> Any:
        """The point of a row of numbers."""
        if self.texts:
            numbers = map(repr, np.asarray(row).tolist())
            return "".join(part for pair in zip(self.texts, [*numbers, ""], strict=True) for part in pair)
        if not self.shapes:
            cells = map(repr, row.tolist())
            return ",".join(map("{}={}".format, self.names, cells) if self.names else cells)
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        parts = [part.reshape(shape) for part, shape in zip(np.split(row, ends), self.shapes, strict=True)]
        return dict(zip(self.names, parts, strict=True)) if self.names else parts[0]

    def marked(self, width: int) -> Any:
        """The point of markers."""
        return self.point(markers(width))


class Chunk(Frozen, eq=False):
    """Some points of a file.

    Args:
        number: the position of the chunk among all.
        first: the index of its first point.
        row_numbers: the number of each row in the file.
        texts: the points as typed, or the errors of their rows; empty for a table.
        table: the numbers of each point, of shape (points, numbers); None for texts.
        layout: the form of the points of a table.
    """

    number: int
    first: int
    row_numbers: Any
    texts: list[Any]
    table: Any = None
    layout: PointLayout = PointLayout()

    def only(self, place: int) -> Chunk:
        """The chunk of one of its points."""
        one = slice(place, place + 1)
        table = self.table if self.table is None else self.table[one]
        return self.changed(
            first=self.first + place, row_numbers=self.row_numbers[one], texts=self.texts[one], table=table
        )

    def points(self) -> Iterator[Any]:
        """Each point, as typed or by name."""
        yield from self.texts if self.table is None else map(self.layout.point, self.table)


def numbers_in(text: str) -> tuple[tuple[str, ...], list[str]]:
    """The pieces of a point as typed between its numbers, and the numbers."""
    pieces = _NUMBER.split(text)
    return tuple(pieces[::2]), pieces[1::2]


def chunks(file: str, size: int) -> Iterator[Chunk]:
    """The points of a file in chunks of a size, of which one at a time is in memory.

    Raises:
        PointError: the file cannot be read, or holds no point.
    """
    ending = os.path.splitext(file)[1].lower()
    if ending in (".csv", ".jsonl"):
        yield from _of_texts(each_row(file), size)
        return
    if ending not in _TABLES:
        known = ", ".join(FORMATS[:-1])
        raise PointError(f"The file {quoted(file)} is neither {known} nor {FORMATS[-1]}.", hint="Name another file.")
    first = 0
    with readable_rows(file):
        for number, (layout, table) in enumerate(_TABLES[ending](os.path.expanduser(file), size)):
            yield Chunk(number, first, range(first, first + len(table)), [], table, layout)
            first += len(table)
    if not first:
        raise PointError(f"The file {quoted(file)} holds no point.")


def _of_texts(rows: Iterator[tuple[int, Any]], size: int) -> Iterator[Chunk]:
    number = 0
    while some := list(islice(rows, size)):
        yield Chunk(number, number * size, [row for row, _ in some], [text for _, text in some])
        number += 1


def count_of(file: str, text_lines: int) -> int:
    """The number of points of a file; for text, about that of its lines, and for an archive the least of its arrays."""
    path, ending = os.path.expanduser(file), os.path.splitext(file)[1].lower()
    if ending in (".csv", ".jsonl"):
        return text_lines
    with readable_rows(file):
        if ending == ".parquet":
            return int(arrow()[1].ParquetFile(path).metadata.num_rows)
        if ending == ".npy":
            with open(path, "rb", opener=regular_file) as opened:
                return _header(opened)[0][0]
        with zipfile.ZipFile(path) as archive:
            return min((_count(archive, name) for name in archive.namelist()), default=0)


def _count(archive: zipfile.ZipFile, name: str) -> int:
    with archive.open(name) as member:
        return _header(member)[0][0]


def _npy(path: str, size: int) -> Iterator[tuple[PointLayout, Any]]:
    with open(path, "rb", opener=regular_file) as file:
        shape, dtype = _header(file)
        layout = PointLayout(shapes=(shape[1:],)) if len(shape) > 2 else PointLayout()
        yield from ((layout, table) for table in _tables(file, shape, dtype, size))


def _npz(path: str, size: int) -> Iterator[tuple[PointLayout, Any]]:
    """Yield the entries of all arrays side by side, each under the name of an input."""
    with zipfile.ZipFile(path) as archive, ExitStack() as opened:
        members = [opened.enter_context(archive.open(name)) for name in archive.namelist()]
        headers = [_header(member) for member in members]
        names = tuple(name.removesuffix(".npy") for name in archive.namelist())
        if len({shape[0] for shape, _ in headers}) > 1:
            lengths = ", ".join(f"{name} {shape[0]}" for name, (shape, _) in zip(names, headers, strict=True))
            raise ValueError(f"its arrays have different numbers of points: {lengths}")
        layout = PointLayout(names, tuple(shape[1:] for shape, _ in headers))
        tables = [_tables(file, *header, size) for file, header in zip(members, headers, strict=True)]
        yield from ((layout, np.hstack(parts)) for parts in zip(*tables, strict=True))


def _header(file: Any) -> tuple[tuple[int, ...], Any]:
    """The shape and the dtype of an array in a file, which is read up to its numbers."""
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(file)
    if version not in read:
        raise ValueError(f"it has version {version} of the format")
    shape, is_fortran, dtype = read[version](file)
    if not shape or dtype.kind not in "fiub":
        raise ValueError(f"it holds {dtype} of shape {shape}, where one number or array a point is needed")
    if is_fortran and len(shape) > 1:
        raise ValueError("its array is in Fortran order; save numpy.ascontiguousarray of it")
    return shape, dtype


def _tables(file: Any, shape: tuple[int, ...], dtype: Any, size: int) -> Iterator[Any]:
    """Yield the numbers of so many points after another, as float64 of shape (points, numbers)."""
    width = int(np.prod(shape[1:]))
    for first in range(0, shape[0], size):
        count = min(size, shape[0] - first)
        data = file.read(count * width * dtype.itemsize)
        if len(data) < count * width * dtype.itemsize:
            raise ValueError(f"it ends after {first} of {shape[0]} points")
        yield np.frombuffer(data, dtype).astype(np.float64).reshape(count, width)


def _parquet(path: str, size: int) -> Iterator[tuple[PointLayout, Any]]:
    pa, parquet = arrow()
    file = parquet.ParquetFile(path)
    for field in file.schema_arrow:
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            raise ValueError(f"its column {field.name} holds {field.type}, where numbers are needed")
    layout = PointLayout(tuple(file.schema_arrow.names))
    for batch in file.iter_batches(size):
        yield layout, np.column_stack([np.asarray(column, np.float64) for column in batch.columns])


_TABLES: dict[str, Callable[[str, int], Iterator[tuple[PointLayout, Any]]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".parquet": _parquet,
}
