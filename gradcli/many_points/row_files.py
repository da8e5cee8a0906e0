"""Files of rows: how a chunk of rows is written as bytes, how parts are joined, and how columns are read again."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

from gradcli.errors import GradcliError, PointError, UsageError
from gradcli.many_points.arrow import arrow
from gradcli.many_points.row_evaluation import OK, ChunkRows, names_of
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import quoted
from gradcli.shared.pytree import map_leaves
from gradcli.shared.records.json_form import plain
from gradcli.shared.regular_files import regular_file

FORMATS = (".jsonl", ".csv", ".npy", ".parquet")
IN_PARTS = (".npy", ".parquet")
_VERDICT, _FINDINGS = "S12", "S47"  # the longest verdict, and eight codes
_MARK = "\x01"


class RowFormat(Frozen):
    """The format of a file of rows.

    Args:
        ending: one of FORMATS.
        body: an answer, whose numbers and their names all rows have.
    """

    ending: str
    body: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers of a row."""
        return names_of(self.body)

    @property
    def head(self) -> bytes:
        """The first bytes of the file."""
        columns = ("index", *self.names, "verdict", "findings")
        return _csv_text([columns]) if self.ending == ".csv" else b""

    def data(self, rows: ChunkRows) -> bytes:
        """Rows as bytes: lines, or a file of their own.

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
        if self.ending == ".csv":
            return _csv_text(_cells(rows))
        file = io.BytesIO()
        if self.ending == ".npy":
            np.lib.format.write_array(file, self._array(rows))
        else:
            _write_table(file, self._array(rows))
        return file.getvalue()

    def _lines(self, rows: ChunkRows) -> Iterator[str]:
        marked = json.dumps(map_leaves(lambda _: _MARK, self.body)).replace("%", "%%")
        template = f'{{"index": %d, {marked[1:-1]}, "verdict": "{OK}", "findings": []}}\n'
        template = template.replace(json.dumps(_MARK), "%r")
        for place, numbers in enumerate(rows.numbers.tolist()):
            remark, index = rows.remarks.get(place), rows.first + place
            if remark is None:
                yield template % (index, *numbers)
                continue
            body = dict(remark.body) if remark.body is not None else dict.fromkeys(self.body)
            message = {"message": remark.message} if remark.message else {}
            row = {"index": index, **body, "verdict": remark.verdict, "findings": [*remark.codes], **message}
            yield json.dumps(plain(row), allow_nan=False) + "\n"

    def _array(self, rows: ChunkRows) -> Any:
        """Rows as a structured array with a field for each column."""
        fields = [("index", "<i8"), *((name, "<f8") for name in self.names)]
        array = np.zeros(len(rows.numbers), [*fields, ("verdict", _VERDICT), ("findings", _FINDINGS)])
        array["index"] = np.arange(rows.first, rows.first + len(array))
        for column, name in enumerate(self.names):
            array[name] = rows.numbers[:, column]
        array["verdict"] = OK
        for place in rows.remarks:
            verdict, codes = rows.verdict(place)
            array["verdict"][place], array["findings"][place] = verdict, " ".join(codes)
        return array


def _cells(rows: ChunkRows) -> Iterator[Sequence[Any]]:
    for place, numbers in enumerate(rows.numbers.tolist()):
        verdict, codes = rows.verdict(place)
        yield rows.first + place, *numbers, verdict, " ".join(codes)


def _csv_text(rows: Iterator[Sequence[Any]] | Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _write_table(file: IO[bytes], array: Any) -> None:
    pa, parquet = arrow()
    columns = {name: np.ascontiguousarray(array[name]) for name in array.dtype.names}
    texts = {name: columns[name].astype(str) for name in ("verdict", "findings")}
    parquet.write_table(pa.table({**columns, **texts}), file)


def join(parts: Sequence[str], ending: str, out: str) -> None:
    """Join files of rows to one, of which a part at a time is in memory; `out` appears when it is complete."""
    unfinished = f"{out}.joining"
    with open(unfinished, "wb") as file:
        if ending == ".npy":
            _join_arrays(parts, file)
        else:
            _join_tables(parts, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, out)


def _join_arrays(parts: Sequence[str], file: IO[bytes]) -> None:
    arrays = (np.load(part, allow_pickle=False) for part in parts)
    count = sum(len(np.load(part, mmap_mode="r")) for part in parts)
    for number, array in enumerate(arrays):
        if not number:
            described = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": (count,)}
            np.lib.format.write_array_header_1_0(file, described)
        file.write(array.tobytes())


def _join_tables(parts: Sequence[str], file: IO[bytes]) -> None:
    _, parquet = arrow()
    with parquet.ParquetWriter(file, parquet.read_schema(parts[0])) as writer:
        for part in parts:
            writer.write_table(parquet.read_table(part))


def read_columns(file: str, names: Sequence[str], step: int = 1) -> Iterator[dict[str, Any]]:
    """Yield columns of a file of rows, some rows at a time; of each `step` rows the first.

    Raises:
        UsageError: it cannot be read, or has no such column.
    """
    ending = os.path.splitext(file)[1].lower()
    readers = {".jsonl": _json_columns, ".csv": _csv_columns, ".npy": _npy_columns, ".parquet": _parquet_columns}
    if ending not in readers:
        raise UsageError(f"{quoted(file)} is no file of rows.", hint=f"Name a {', '.join(FORMATS)} file.")
    try:
        for columns in readers[ending](os.path.expanduser(file), step):
            if missing := [name for name in names if name not in columns]:
                shown = ", ".join(columns)
                raise UsageError(f"{quoted(file)} has no column {missing[0]!r}.", hint=f"Its columns are {shown}.")
            yield {name: columns[name] for name in names}
    except GradcliError:
        raise
    except (OSError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or str(error).split("\n")[0]
        raise UsageError(f"{quoted(file)} cannot be read as rows: {reason}.") from None


_BLOCK = 10_000  # rows


def _json_columns(file: str, step: int) -> Iterator[dict[str, Any]]:
    with open(file, encoding="utf-8", opener=regular_file) as lines:
        names: list[str] = []
        rows = islice(lines, 0, None, step)
        while block := [*map(json.loads, islice(rows, _BLOCK))]:
            flat = [_flat(row) for row in block]
            names = names or [*max(flat, key=len)]
            yield _by_name(names, ([row.get(name, "nan") for name in names] for row in flat))


def _flat(row: Any, name: str = "") -> dict[str, Any]:
    """The numbers of a row of JSON by the names of their columns."""
    if isinstance(row, dict):
        within = ((f"{name}.{key}" if name else key, part) for key, part in row.items() if key != "message")
    elif isinstance(row, list) and name != "findings":
        within = ((f"{name}[{n}]", part) for n, part in enumerate(row))
    else:
        return {name: " ".join(row) if name == "findings" else row}
    return {column: leaf for key, part in within for column, leaf in _flat(part, key).items()}


def _csv_columns(file: str, step: int) -> Iterator[dict[str, Any]]:
    with open(file, encoding="utf-8", newline="", opener=regular_file) as lines:
        reader = csv.reader(lines)
        names = next(reader, [])
        rows = islice(reader, 0, None, step)
        while block := [*islice(rows, _BLOCK)]:
            yield _by_name(names, block)


def _by_name(names: Sequence[str], rows: Any) -> dict[str, Any]:
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return {name: np.array(column, str if name in ("verdict", "findings") else float) for name, column in columns}


def _npy_columns(file: str, step: int) -> Iterator[dict[str, Any]]:
    with open(file, "rb", opener=regular_file) as opened:
        if np.lib.format.read_magic(opened) != (1, 0):
            raise ValueError("it is no array of rows")
        shape, _, dtype = np.lib.format.read_array_header_1_0(opened)
        if dtype.names is None or len(shape) != 1:
            raise ValueError("its array has no columns")
        while len(block := np.frombuffer(opened.read(_BLOCK * dtype.itemsize), dtype)[::step]):
            texts = {name: block[name].astype(str) for name in dtype.names if dtype[name].kind == "S"}
            yield {**{name: block[name] for name in dtype.names}, **texts}


def _parquet_columns(file: str, step: int) -> Iterator[dict[str, Any]]:
    _, parquet = arrow()
    for batch in parquet.ParquetFile(file).iter_batches(_BLOCK):
        yield {name: np.asarray(column)[::step] for name, column in zip(batch.schema.names, batch.columns, strict=True)}
