"""Points in files: JSON and NumPy's format, and what is wrong with a file."""

import json
import struct

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.targets import parse_point, resolve
from gradcli.answers.targets.point_files import read_rows
from gradcli.errors import NotFiniteError, PointError, TargetError
from gradcli.shared.pytree import map_leaves
from gradcli.shared.records.check_request import CheckRequest
from tests.answers.targets.conftest import target_of


def two(x, y):
    return x, y


def one(x):
    return x


def put(path, content):
    """A file with a text, bytes or an array; none for None."""
    path.parent.mkdir(exist_ok=True)
    if isinstance(content, np.ndarray):
        np.save(path, content, allow_pickle=True)
    elif content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def plain(value):
    return map_leaves(lambda leaf: leaf.tolist() if isinstance(leaf, np.ndarray) else leaf, value)


SQUARE = np.array([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("file", "content", "text", "function", "expected"),
    [
        ("p.json", '{"y": {"w": [1, 2]}, "x": 3}', "@p.json", two, {"x": 3.0, "y": {"w": [1.0, 2.0]}}),
        ("p.json", "[1, 2]", "@p.json", one, {"x": [1.0, 2.0]}),
        ("p.json", "3", "@p.json", one, {"x": 3.0}),
        ("p.json", "[[1, 2], [3, 4]]", "@p.json", one, {"x": [[1.0, 2.0], [3.0, 4.0]]}),
        *[
            ("p.npy", SQUARE.astype(kind), "@p.npy", one, {"x": [[1.0, 2.0], [3.0, 4.0]]})
            for kind in ("f8", "f4", "i8")
        ],
        ("p.npy", SQUARE.astype(">f8"), "@p.npy", one, {"x": [[1.0, 2.0], [3.0, 4.0]]}),
        ("p.npy", np.array(2.0), "@p.npy", one, {"x": 2.0}),
        ("x.npy", np.ones(3), "x=@x.npy,y=2", two, {"x": [1.0, 1.0, 1.0], "y": 2.0}),
        ("a, b/the point.json", "[1]", "@a, b/the point.json", one, {"x": [1.0]}),
    ],
)
def test_a_point_in_a_file(folder, file, content, text, function, expected):
    """An object goes by name, a list is an array, and the whole text after the sign is the path."""
    put(folder / file, content)
    point = parse_point(text, target_of(function))

    assert (list(point), plain(point)) == (list(expected), expected)
    assert all(getattr(x, "dtype", np.dtype(float)) in (np.float64, np.float32) for x in point.values())


@pytest.mark.long
def test_a_large_json_file_is_read(write):
    write("point.json", json.dumps([0.5] * 300_000))

    assert parse_point("@point.json", target_of(one))["x"].shape == (300_000,)


# The head of a file whose array would have 1e14 numbers
HEAD = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,), }".ljust(117) + b"\n"
HUGE = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(HEAD)) + HEAD + bytes(80)
NO_JSON = ("{", "[1,]", "{'x': 1}", "[1] [2]", b"\xff\xfe\xff", "[" * 100_000)
NO_NUMBERS = (np.array([True]), np.array(["a"]), np.zeros(2, dtype=[("a", float)]), np.zeros(0), np.array([np.nan]))


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("nowhere/point.json", None, "There is no file 'nowhere/point.json'"),
        ("point.npy", None, "There is no file 'point.npy'"),
        ("a" * 5000 + ".json", None, "The file|There is no file"),
        ("\0.json", None, "The file|There is no file"),
        ("~nobody-of-this-name/x.json", None, "There is no file '~nobody"),
        ("~nobody-of-this-name/x.npy", None, "There is no file '~nobody"),
        ("point", None, "is neither .json nor .npy"),
        ("point.txt", None, "is neither .json nor .npy"),
        ("point.csv", None, "holds many points, and one is needed"),
        ("p.json", "", r"cannot be read as json: it is empty.*\nA .json file holds the numbers by name"),
        ("p.json", "{", r"cannot be read as json: Expecting property name.*\nA .json file holds the numbers by name"),
        *[("p.json", text, "The file 'p.json' cannot be read as json: ") for text in NO_JSON],
        ("p.json", '{"x": 1, "x": 2}', "gives x twice"),
        ("p.json", "{}", "The point is empty"),
        ("p.json", "[]", "The value of x is empty"),
        ("p.json", "[1, true]", r"The value of x\[1\] is true, a boolean"),
        ("p.json", '["a"]', r"The value of x\[0\] is 'a', a string"),
        ("p.json", "null", "The value of x is null"),
        ("p.json", "[1, 1e999]", "is too large"),
        ("p.json", "1" + "0" * 5000, "is too large"),
        ("p.json", "[[1], [2, 3]]", "different lengths"),
        ("p.json", "[" * 100 + "1" + "]" * 100, "nested deeper than 32"),
        ("p.json", '{"z": 1}', "There is no input named 'z'"),
        *[("p.json", text, "is NaN|is infinite") for text in ("NaN", "[1, NaN]", "[1, -Infinity]")],
        ("p.npy", np.array([{}], dtype=object), "cannot be read as npy: Object arrays cannot be loaded"),
        ("p.npy", HUGE, "need more memory than there is"),
        *[("p.npy", data, "The file 'p.npy' cannot be read as npy: ")
            for data in (b"", b"nonsense", b"\x93NUMPY\x01\x00\x10\x00{}")],
        *[("p.npy", array, "The value of x") for array in NO_NUMBERS],
    ],
)  # fmt: skip
def test_what_is_no_point(folder, file, content, said):
    if content is not None:
        put(folder / file, content)

    with pytest.raises((PointError, NotFiniteError), match=said):
        parse_point(f"@{file}", target_of(one))


def test_a_folder_is_no_file(folder):
    (folder / "point.json").mkdir()

    with pytest.raises(PointError, match=r"'point.json' is a folder.\nName a file in it: @point.json/point.json"):
        parse_point("@point.json", target_of(one))


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


def test_a_typed_dict_stays_strict():
    """Its keys are names of parameters, as a misspelt one could not be told from a value."""
    with pytest.raises(PointError, match="There is no input named 'z'"):
        parse_point('{"z": 1}', target_of(one))
