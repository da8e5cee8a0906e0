"""Files of rows: how a chunk of rows is written as bytes, how a file is completed, and how columns are read again."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, islice
from typing import IO, Any

import numpy as np

from gradcli.answers.targets.point_files import readable_rows
from gradcli.errors import PointError, UsageError
from gradcli.many_points.point_chunks import arrow
from gradcli.many_points.row_evaluation import OK, ChunkRows, names_of
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import quoted
from gradcli.shared.pytree import labelled, map_leaves
from gradcli.shared.records.json_form import plain
from gradcli.shared.regular_files import regular_file

_TEXTS = (("verdict", "S12"), ("findings", "S47"))  # the longest verdict, and eight codes
_MARK = "\x01"
_BLOCK = 10_000  # rows


class RowFormat(Frozen):
    """The format of a file of rows: lines in a `.jsonl` or `.csv` file, and an array otherwise.

    Args:
        ending: that of the file, of FORMATS.
        body: an answer, whose numbers and their names all rows have.
    """

    ending: str
    body: Mapping[str, Any]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers of a row."""
        return names_of(self.body)

    @property
    def dtype(self) -> Any:
        """The dtype of a row of an array."""
        return np.dtype([("index", "<i8"), *((name, "<f8") for name in self.names), *_TEXTS])

    @property
    def head(self) -> bytes:
        """The first bytes of a file of lines."""
        return _csv_text([self.dtype.names]) if self.ending == ".csv" else b""

    def data(self, rows: ChunkRows) -> bytes:
        """Rows as bytes.

        Raises:
            PointError: a row has other numbers than the first, and the format has columns.
        """
        if self.ending == ".jsonl":
            return "".join(self._lines(rows)).encode()
        for place, remark in rows.remarks.items():
            if remark.body is not None and names_of(remark.body) != self.names:
                raise PointError(
                    f"The answer at point {rows.first + place} has other numbers than that at the first one.",
                    hint="Name a .jsonl file, whose rows may differ.",
                )
        array = self._array(rows)
        if self.ending == ".csv":
            return _csv_text(zip(*(_column(array, name).tolist() for name in array.dtype.names), strict=True))
        return bytes(array.tobytes())

    def complete(self, grown: str, out: str) -> None:
        """Write an array to `out`, of whose rows some at a time are in memory, and remove the file of its bytes."""
        count = os.path.getsize(grown) // self.dtype.itemsize
        places = (first * self.dtype.itemsize for first in range(0, count, _BLOCK))
        blocks = (np.fromfile(grown, self.dtype, _BLOCK, offset=place) for place in places)
        with open(f"{out}.completing", "wb") as file:
            if self.ending == ".npy":
                described = np.lib.format.dtype_to_descr(self.dtype)
                header = {"descr": described, "fortran_order": False, "shape": (count,)}
                np.lib.format.write_array_header_1_0(file, header)
                file.writelines(map(np.ndarray.tobytes, blocks))
            else:
                with arrow()[1].ParquetWriter(file, _table(np.empty(0, self.dtype)).schema) as writer:
                    for block in blocks:
                        writer.write_table(_table(block))
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{out}.completing", out)
        os.remove(grown)

    def _lines(self, rows: ChunkRows) -> Iterator[str]:
        marked = json.dumps(map_leaves(lambda _: _MARK, self.body)).replace("%", "%%")
        template = f'{{"index": %d, {marked[1:-1]}, "verdict": "{OK}", "findings": []}}\n'
        template = template.replace(json.dumps(_MARK), "%r")
        for place, numbers in enumerate(rows.numbers.tolist()):
            remark, index = rows.remarks.get(place), rows.first + place
            if remark is None:
                yield template % (index, *numbers)
                continue
            body = dict.fromkeys(self.body) if remark.body is None else remark.body
            message = {"message": remark.message} if remark.message else {}
            row = {"index": index, **body, "verdict": remark.verdict, "findings": [*remark.codes], **message}
            yield json.dumps(plain(row), allow_nan=False) + "\n"

    def _array(self, rows: ChunkRows) -> Any:
        array = np.zeros(len(rows.numbers), self.dtype)
        array["index"] = np.arange(rows.first, rows.first + len(array))
        for name, column in zip(self.names, rows.numbers.T, strict=True):
            array[name] = column
        array["verdict"] = OK
        for place, remark in rows.remarks.items():
            array["verdict"][place], array["findings"][place] = remark.verdict, " ".join(remark.codes)
        return array


def _csv_text(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _table(array: Any) -> Any:
    return arrow()[0].table({name: _column(array, name) for name in array.dtype.names})


def _column(array: Any, name: str) -> Any:
    column = np.ascontiguousarray(array[name])
    return column.astype(str) if column.dtype.kind == "S" else column


def read_columns(file: str, names: Sequence[str], step: int = 1) -> dict[str, Any]:
    """Columns of numbers of a file of rows; of each `step` rows the first.

    Raises:
        UsageError: the file cannot be read, or has no such columns.
    """
    ending = os.path.splitext(file)[1].lower()
    hint = f"Name a {', '.join(FORMATS)} file of rows."
    if ending not in _READERS:
        raise UsageError(f"{quoted(file)} is no file of rows.", hint=hint)
    with readable_rows(file, hint), open(os.path.expanduser(file), "rb", opener=regular_file) as opened:
        known, columns = _READERS[ending](opened, step)
        if missing := [name for name in names if name not in known]:
            hint = f"Its columns are {', '.join(known)}."
            raise UsageError(f"{quoted(file)} has no column {missing[0]!r}.", hint=hint)
        return dict(zip(names, columns(names), strict=True))


Columns = tuple[Sequence[str], Callable[[Sequence[str]], Any]]


def _json_columns(file: IO[bytes], step: int) -> Columns:
    rows = map(_flat, islice(file, 0, None, step))
    some = [*islice(rows, _BLOCK)]
    return [*max(some, key=len, default=())], partial(_by_name, chain(some, rows))


def _flat(line: bytes) -> dict[str, Any]:
    """The numbers of a row of JSON by the names of their columns."""
    if not isinstance(row := json.loads(line), dict):
        raise ValueError("a row is no object")
    parts = ((key, part) for key, part in row.items() if key not in ("verdict", "findings", "message"))
    return {name: number for key, part in parts for name, number in labelled(key, part)}


def _csv_columns(file: IO[bytes], step: int) -> Columns:
    rows = csv.DictReader(map(bytes.decode, file), restval="nan")
    return rows.fieldnames or (), partial(_by_name, islice(rows, 0, None, step))


def _by_name(rows: Iterator[Mapping[str, Any]], names: Sequence[str]) -> Any:
    numbers = (tuple(float(row.get(name, "nan")) for name in names) for row in rows)
    return np.fromiter(numbers, np.dtype((float, len(names)))).T


def _array_columns(file: IO[bytes], step: int) -> Columns:
    array = np.lib.format.open_memmap(file.name, "r")[::step]
    if array.dtype.names is None:
        raise ValueError("its array has no columns")
    return array.dtype.names, lambda names: [np.array(array[name], float) for name in names]


def _parquet_columns(file: IO[bytes], step: int) -> Columns:
    table = arrow()[1].ParquetFile(file)
    return table.schema.names, lambda names: [np.array(table.read([name])[name][::step], float) for name in names]


_READERS = {".jsonl": _json_columns, ".csv": _csv_columns, ".npy": _array_columns, ".parquet": _parquet_columns}
FORMATS = (*_READERS,)
