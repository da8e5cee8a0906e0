"""Points of a file in chunks."""

import re

import numpy as np
import pytest

from gradcli.errors import PointError
from gradcli.many_points.point_chunks import Chunk, PointLayout, open_points


def chunks(file, size=2):
    with open_points(str(file)) as points:
        return [*points.chunks(size)]


def points(file):
    return [[*map(chunk.point, range(len(chunk.points)))] for chunk in chunks(file)]


def count_of(file):
    with open_points(str(file)) as points:
        return points.count


def test_text_keeps_its_points_and_the_numbers_of_their_rows(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y\n1,2\n\n3,4\n5,6\n")

    assert points(file) == [["x=1,y=2", "x=3,y=4"], ["x=5,y=6"]]
    assert [(chunk.first, [*chunk.row_numbers]) for chunk in chunks(file)] == [(0, [2, 4]), (2, [5])]


def test_a_bad_cell_is_the_error_of_its_row(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y\n1,two\n3,4\n")

    [[error, point]] = points(file)

    assert error.message.startswith("The value of column 2 (y) is 'two'")
    assert point == "x=3,y=4"


def test_rows_of_an_array_are_typed_points(tmp_path):
    np.save(tmp_path / "points.npy", np.arange(6).reshape(3, 2))

    assert points(tmp_path / "points.npy") == [["0.0,1.0", "2.0,3.0"], ["4.0,5.0"]]
    assert count_of(tmp_path / "points.npy") == 3


def test_entries_of_more_axes_are_arrays(tmp_path):
    stack = np.arange(12.0).reshape(3, 2, 2)
    np.save(tmp_path / "points.npy", stack)

    assert np.array_equal([point for chunk in points(tmp_path / "points.npy") for point in chunk], stack)


def test_an_archive_has_an_array_for_each_input(tmp_path):
    np.savez(tmp_path / "points.npz", w=np.arange(6.0).reshape(3, 2), b=np.array([7.0, 8.0, 9.0]))

    read = [point for chunk in points(tmp_path / "points.npz") for point in chunk]

    assert [(point["w"].tolist(), point["b"].tolist()) for point in read] == [
        ([0.0, 1.0], 7.0), ([2.0, 3.0], 8.0), ([4.0, 5.0], 9.0),
    ]  # fmt: skip
    assert count_of(tmp_path / "points.npz") == 3


def test_a_table_of_parquet_names_the_inputs(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"x": [1, 2, 3], "y": [0.5, 1.5, 2.5]}), tmp_path / "points.parquet")

    assert points(tmp_path / "points.parquet") == [["x=1.0,y=0.5", "x=2.0,y=1.5"], ["x=3.0,y=2.5"]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.txt", b"1,2", "is neither .jsonl, .csv, .npy, .npz nor .parquet"),
        ("p.csv", b"", "holds no point"),
        ("p.npy", b"no array", "cannot be read"),
    ],
)
def test_files_that_hold_no_points(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(PointError, match=re.escape(message)):
        points(tmp_path / name)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array(["a"]), "where one number or array a point is needed"),
        (np.array(1.0), "where one number or array a point is needed"),
        (np.array([None]), "Python objects"),
    ],
)
def test_arrays_that_are_no_points(tmp_path, array, message):
    np.save(tmp_path / "p.npy", array)

    with pytest.raises(PointError, match=message):
        points(tmp_path / "p.npy")


def test_a_file_that_was_cut(tmp_path):
    np.save(tmp_path / "p.npy", np.zeros((4, 2)))
    data = (tmp_path / "p.npy").read_bytes()
    (tmp_path / "p.npy").write_bytes(data[:-8])

    with pytest.raises(PointError, match="cannot be read: mmap length is greater than file size"):
        points(tmp_path / "p.npy")


@pytest.mark.parametrize(
    ("text", "pieces", "numbers"),
    [
        ("1,2.5", ("", ",", ""), [1.0, 2.5]),
        ("x1=-3e-2,y=[.5, +4]", ("x1=", ",y=[", ", ", "]"), [-3e-2, 0.5, 4.0]),
        ("y[10]=2", ("y[10]=", ""), [2.0]),
        ('{"x": 1}', ('{"x": ', "}"), [1.0]),
    ],
)
def test_the_numbers_of_a_typed_point(text, pieces, numbers):
    [(layout, places, table)] = Chunk(0, 0, [1], [text]).tables()

    assert (layout, places, table.tolist()) == (PointLayout(pieces), [0], [numbers])
    assert layout.point(np.full(len(numbers), 1.5)).count("1.5") == len(numbers)
