"""Points in files: JSON and NumPy's format, and what is wrong with a file."""

import json
import struct

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.targets import parse_point, resolve
from gradcli.answers.targets.point_files import read_point, read_rows
from gradcli.errors import NotFiniteError, PointError, TargetError
from gradcli.shared.pytree import map_leaves
from gradcli.shared.records.check_request import CheckRequest
from tests.answers.targets.conftest import target_of


def two(x, y):
    return x, y


def one(x):
    return x


def test_a_json_object_goes_by_name(write):
    write("point.json", '{"y": {"w": [1, 2]}, "x": 3}')
    point = parse_point("@point.json", target_of(two))

    assert (list(point), point["x"], point["y"]["w"].tolist()) == (["x", "y"], 3.0, [1.0, 2.0])


@pytest.mark.parametrize(
    ("text", "expected"), [("[1, 2]", [1.0, 2.0]), ("3", 3.0), ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]])]
)
def test_json_of_one_value(write, text, expected):
    """A list is an array, a number is a scalar."""
    write("point.json", text)

    assert np.asarray(parse_point("@point.json", target_of(one))["x"]).tolist() == expected


@pytest.mark.long
def test_a_large_json_file_is_read(write):
    write("point.json", json.dumps([0.5] * 300_000))

    assert parse_point("@point.json", target_of(one))["x"].shape == (300_000,)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8", np.int64])
def test_an_array_file(folder, dtype):
    np.save(folder / "point.npy", np.array([[1, 2], [3, 4]], dtype=dtype))
    x = parse_point("@point.npy", target_of(one))["x"]

    assert (x.tolist(), x.dtype in (np.float64, np.float32)) == ([[1.0, 2.0], [3.0, 4.0]], True)


def test_an_array_file_of_one_number(folder):
    np.save(folder / "point.npy", np.array(2.0))

    assert parse_point("@point.npy", target_of(one)) == {"x": 2.0}


def test_a_file_for_one_of_the_inputs(folder):
    np.save(folder / "x.npy", np.ones(3))
    point = parse_point("x=@x.npy,y=2", target_of(two))

    assert (point["x"].tolist(), point["y"]) == ([1.0, 1.0, 1.0], 2.0)


def test_a_file_in_a_folder_with_spaces_and_commas(write):
    """The whole text after the sign is the path."""
    write("a, b/the point.json", "[1]")

    assert parse_point("@a, b/the point.json", target_of(one))["x"].tolist() == [1.0]


@pytest.mark.parametrize("text", ["@nowhere/point.json", "@point.npy", "@" + "a" * 5000 + ".json", "@\0.json"])
def test_no_such_file(text):
    with pytest.raises(PointError, match=r"The file|There is no file"):
        parse_point(text, target_of(one))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@point", "is neither .json nor .npy"),
        ("@point.txt", "is neither .json nor .npy"),
        ("@point.csv", "holds many points, and one is needed"),
    ],
)
def test_a_file_of_another_kind(text, said):
    with pytest.raises(PointError, match=said):
        parse_point(text, target_of(one))


def test_a_folder_is_no_file(folder):
    (folder / "point.json").mkdir()

    with pytest.raises(PointError, match=r"'point.json' is a folder.\nName a file in it: @point.json/point.json"):
        parse_point("@point.json", target_of(one))


@pytest.mark.parametrize("text", ["", "{"])
def test_what_a_file_holds_is_said_where_it_cannot_be_read(write, text):
    write("point.json", text)
    said = "it is empty" if not text else "Expecting property name"

    with pytest.raises(PointError, match=rf"cannot be read as json: {said}.*\nA .json file holds the numbers by name"):
        parse_point("@point.json", target_of(one))


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{'x': 1}", "[1] [2]", b"\xff\xfe\xff", "[" * 100_000])
def test_a_file_that_is_no_json(write, text):
    write("point.json", text)

    with pytest.raises(PointError, match=r"The file 'point.json' cannot be read as json: "):
        parse_point("@point.json", target_of(one))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"x": 1, "x": 2}', "gives x twice"),
        ("{}", "The point is empty"),
        ("[]", "The value of x is empty"),
        ("[1, true]", r"The value of x\[1\] is true, a boolean"),
        ('["a"]', r"The value of x\[0\] is 'a', a string"),
        ("null", "The value of x is null"),
        ("[1, 1e999]", "is too large"),
        ("1" + "0" * 5000, "is too large"),
        ("[[1], [2, 3]]", "different lengths"),
        ("[" * 100 + "1" + "]" * 100, "nested deeper than 32"),
        ('{"z": 1}', "There is no input named 'z'"),
    ],
)
def test_json_that_is_no_point(write, text, message):
    write("point.json", text)

    with pytest.raises(PointError, match=message):
        parse_point("@point.json", target_of(one))


@pytest.mark.parametrize("text", ["NaN", "[1, NaN]", "[1, -Infinity]"])
def test_json_that_is_not_finite(write, text):
    write("point.json", text)

    with pytest.raises(NotFiniteError):
        parse_point("@point.json", target_of(one))


def test_an_array_file_of_objects_is_refused(folder):
    np.save(folder / "point.npy", np.array([{}], dtype=object), allow_pickle=True)

    with pytest.raises(PointError, match=r"cannot be read as npy: Object arrays cannot be loaded"):
        parse_point("@point.npy", target_of(one))


@pytest.mark.parametrize("data", [b"", b"nonsense", b"\x93NUMPY\x01\x00\x10\x00{}"])
def test_a_broken_array_file(write, data):
    write("point.npy", data)

    with pytest.raises(PointError, match=r"The file 'point.npy' cannot be read as npy: "):
        parse_point("@point.npy", target_of(one))


@pytest.mark.parametrize(
    "array", [np.array([True]), np.array(["a"]), np.zeros(2, dtype=[("a", float)]), np.zeros(0), np.array([np.nan])]
)
def test_an_array_file_that_is_no_point(folder, array):
    np.save(folder / "point.npy", array)

    with pytest.raises((PointError, NotFiniteError), match=r"The value of x"):
        parse_point("@point.npy", target_of(one))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("points.jsonl", "[1, 2]\n\n[3, 4]\n"),
        ("points.csv", "1,2\n3,4\n"),
        ("named.csv", "x,y\n1,2\n3,4\n"),
    ],
)
def test_a_point_a_row(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    target = resolve("x*y")
    rows = [parse_point(row.strip("[]"), target) for row in read_rows(str(path)).values()]

    assert rows == [{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 4.0}]


def test_the_entries_of_an_array_are_points(tmp_path):
    path = tmp_path / "points.npy"
    np.save(path, np.array([[1.0, 2.0], [3.0, 4.5]]))

    assert read_rows(str(path)) == {0: "1.0,2.0", 1: "3.0,4.5"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("points.txt", "1,2", r"neither \.jsonl, \.csv nor \.npy"),
        ("points.csv", "", "holds no point"),
        ("missing.csv", None, "cannot be read: No such file"),
        ("short.csv", "x,y\n1\n", r"short.csv, row 2: one cell came, for 2 names in the first row"),
        ("word.csv", "x,y\n1,2\n\n3,abc\n", r"word.csv, row 4: The value of column 2 \(y\) is 'abc', a word"),
        ("word.csv", "1,abc\n3,4\n", r"word.csv, row 1: The value of column 2 is 'abc', a word"),
        ("gap.csv", "1,2\n3,\n", r"gap.csv, row 2: The value of column 2 is missing"),
        ("ragged.csv", 'x\n"[[1,2],[3]]"\n', r"ragged.csv, row 2: The parts of column 1 \(x\) have different lengths"),
        ("tabs.csv", "1\t2\n", r"tabs.csv, row 1: A tab stands between its values, where a comma is needed"),
        ("semicolons.csv", "x;y\n1;2\n", r"semicolons.csv, row 1: A semicolon stands between its values"),
        ("formula.csv", "x\n1/0\n", r"formula.csv, row 2: The value of column 1 \(x\) is"),
    ],
)
def test_rows_that_cannot_be_read(tmp_path, name, text, said):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises((PointError, NotFiniteError), match=said):
        read_rows(str(tmp_path / name))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3\n", r"p.csv, row 2: The point does not fit: one value came, 2 are needed"),
        ("x,y\n1,2\n\n3,nan\n", r"p.csv, row 4: The value of column 2 \(y\) is NaN"),
        ("x,z\n1,2\n", r"p.csv, row 2: There is no input named 'z'"),
    ],
)
def test_a_row_that_does_not_fit_is_named(folder, text, said):
    (folder / "p.csv").write_text(text)

    with pytest.raises((PointError, NotFiniteError), match=said):
        queries.check("x*y", None, CheckRequest(points_file="p.csv"))


def test_a_function_makes_the_point(tmp_path):
    """A tuple goes in order, a dict by name."""
    path = tmp_path / "makers_of_points.py"
    path.write_text("def pair():\n    return 1.0, 2.0\n\n\ndef named():\n    return {'y': 2.0, 'x': 1.0}\n")
    target = resolve("x*y")

    assert parse_point(f"@{path}:pair", target) == {"x": 1.0, "y": 2.0}
    assert parse_point(f"@{path}:named", target) == {"x": 1.0, "y": 2.0}


def test_an_array_that_claims_more_numbers_than_the_memory_holds(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,), }".ljust(117) + b"\n"
    path = tmp_path / "x.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(80))

    with pytest.raises(PointError, match="its numbers need more memory than there is"):
        read_point(str(path))


MODULE = """
import numpy as np

PAR = {"w": [1.0, 2.0], "b": 3}
NESTED = {"x": {"w": [[1, 2], [3, 4]], "b": True}, "y": [1.0, [2.0, 3.0], {"k": [4]}]}
LAYERS = {"layers": [np.ones((2, 2)), np.ones((2, 2))], "scale": 0.5}
PAIR = 1.0, 2.0
LIST = [1.0, 2.0]
NUMBER = 2.5


class Case:
    point = {"y": 2.0, "x": 1.0}


def make():
    return PAR
"""


@pytest.fixture
def module(tmp_path):
    """The path of a module with objects that are points."""
    path = tmp_path / "objects_as_points.py"
    path.write_text(MODULE)
    return path


def plain(value):
    return map_leaves(lambda leaf: leaf.tolist() if isinstance(leaf, np.ndarray) else leaf, value)


@pytest.mark.parametrize(
    ("name", "function", "expected"),
    [
        ("PAR", one, {"x": {"w": [1.0, 2.0], "b": 3.0}}),
        ("make", one, {"x": {"w": [1.0, 2.0], "b": 3.0}}),
        ("NESTED", two, {"x": {"w": [[1, 2], [3, 4]], "b": 1.0}, "y": [1.0, [2.0, 3.0], {"k": [4.0]}]}),
        ("NESTED", one, {"x": {"x": {"w": [[1, 2], [3, 4]], "b": 1.0}, "y": [1.0, [2.0, 3.0], {"k": [4.0]}]}}),
        ("LAYERS", one, {"x": {"layers": [[[1.0, 1.0], [1.0, 1.0]]] * 2, "scale": 0.5}}),
        ("PAIR", two, {"x": 1.0, "y": 2.0}),
        ("PAIR", one, {"x": [1.0, 2.0]}),
        ("LIST", one, {"x": [1.0, 2.0]}),
        ("NUMBER", one, {"x": 2.5}),
        ("Case.point", two, {"x": 1.0, "y": 2.0}),
    ],
)
def test_an_object_of_a_module(module, name, function, expected):
    """A dict goes by name, or to the only parameter if it has other keys; nested as it is."""
    assert plain(parse_point(f"@{module}:{name}", target_of(function))) == expected


@pytest.mark.parametrize("text", ["[1.0, made]", "[made, made]", "{'x': made}", "[(made,)]", "[[[made]]]"])
def test_an_object_that_holds_itself(write, text):
    write("cyclic.py", f"made = []\nmade.append({text})\n")

    with pytest.raises(PointError, match="holds itself"):
        parse_point("@cyclic.py:made", target_of(one))


def test_an_object_for_one_of_the_inputs(module):
    assert plain(parse_point(f"x=@{module}:PAR", target_of(one))) == {"x": {"w": [1.0, 2.0], "b": 3.0}}
    assert plain(parse_point(f"x=@{module}:PAIR,y=@{module}:NUMBER", target_of(two))) == {"x": (1.0, 2.0), "y": 2.5}
    assert plain(parse_point(f"@{module}:LIST, @{module}:NUMBER", target_of(two))) == {"x": [1.0, 2.0], "y": 2.5}


def test_an_object_that_does_not_exist(module):
    with pytest.raises(TargetError, match=r"There is no 'PARS' in .*objects_as_points.py; functions there: make\(\)"):
        parse_point(f"@{module}:PARS", target_of(one))


def test_a_typed_dict_stays_strict(write):
    """Its keys are names of parameters, as a misspelt one could not be told from a value."""
    write("point.json", '{"z": 1}')

    for text in ('{"z": 1}', "@point.json"):
        with pytest.raises(PointError, match="There is no input named 'z'"):
            parse_point(text, target_of(one))


@pytest.mark.parametrize("path", ["~nobody-of-this-name/x.json", "~nobody-of-this-name/x.npy"])
def test_the_folder_of_an_unknown_user(path):
    with pytest.raises(PointError, match="There is no file '~nobody"):
        read_point(path)
