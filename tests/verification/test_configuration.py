"""The configuration: where it is found, what it takes, and what is said of what it does not."""

from pathlib import Path

import pytest

from gradcli.errors import UsageError
from gradcli.terminal.cli.root_command import program
from gradcli.verification.check_options import ENTRY
from gradcli.verification.configuration import find, load, read_toml


def written(folder: Path, text: str, name: str = "gradcli.toml") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_the_nearest_upwards(tmp_path: Path) -> None:
    """A pyproject.toml without the table is passed over; gradcli.toml comes before it."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    written(tmp_path, "[tool.gradcli]\nseed = 1\n", "pyproject.toml")
    written(tmp_path / "a", "[tool.ruff]\n", "pyproject.toml")

    assert (str(tmp_path), 1) == (find(str(inner)).folder, find(str(inner)).defaults["seed"])
    written(tmp_path / "a", "seed = 2\n")
    assert find(str(inner)).defaults["seed"] == 2


def test_without_one(tmp_path: Path) -> None:
    found = find(str(tmp_path))

    assert found.entries == ()
    assert found.file is None or not found.file.startswith(str(tmp_path))


def test_all_keys(tmp_path: Path) -> None:
    """Points as texts, numbers, arrays and tables; names and intervals as texts or lists."""
    text = """
require-points = true
workers = "auto"
exclude = ["a/*"]
max-seconds = 5
[pairs]
gradient = ["d_{f}"]
[files."a.py"]
box = "x=0:1"
[[check]]
target = "a.py:f"
against = "g"
of = "hvp"
at = { x = [1, 2], y = 3 }
box = ["x=0:1", "y=0:2"]
wrt = ["x", "y"]
points-file = "p.csv"
allow = ["fail", "timeout"]
skip = "later"
"""
    found = load(written(tmp_path, text))
    ((line, entry),) = found.entries

    assert (True, 0, ("a/*",), ("d_{f}",)) == (
        found.require_points, found.workers, found.exclude, found.patterns["gradient"]
    )  # fmt: skip
    assert (line, entry["at"], entry["box"], entry["wrt"]) == (10, '{"x": [1, 2], "y": 3}', ("x=0:1", "y=0:2"), "x,y")
    assert found.options_of("a.py") == {"max_seconds": 5.0, "box": ("x=0:1",)}
    assert found.options_of("b.py") == {"max_seconds": 5.0}


@pytest.mark.parametrize(("text", "said"), [
    ("sed = 1", r"gradcli\.toml: there is no key 'sed'.\n.*Did you mean seed\?"),
    *(
        (
            f"[[check]]\ntarget = 'f'\nbox = {{ x = [{ends}] }}",
            "it has to be intervals, ",
        )
        for ends in ("-1.7e308, 1.7e308", "1, 0", "0, 0", "nan, 1", "0, inf", "0, 1, 2", f"0, 1{400 * '0'}")
    ),
    ("\nseed = -1", r"seed is -1; it has to be a whole number from 0 on\."),
    ("[pairs]\ngradient = ['d']", r"once, as in grad_{f}\."),
    ("[tool.gradcli]\n\nworkers = 0\n", r"\[tool\.gradcli\]: workers has "),
    ("at = '1'", "there is no key 'at'"),
    ("seed = 1.5", "seed is 1.5; it has to be a whole number"),
    ("tool = 5", r"gradcli\.toml, \[tool\]: it has to be a table"),
    ("[tool]\ngradcli = 5", r"gradcli\.toml, \[tool\.gradcli\]: it has to be a table"),
    ("[[check]]\nat = 1", r"gradcli\.toml:1, \[check\]: a check needs a target"),
    ("\n[[check]]\ntarget = 'f'\nagainstt = 'g'",
        r"gradcli\.toml:2, \[check\]: there is no key 'againstt'.\n  .*gradcli\.toml:2: .*\nDid you"),
    ("[[check]]\ntarget = 'f'\nof = 'slope'", 'of is "slope"; it has to be one of gradient, jacobian'),
    ("[[check]]\ntarget = 'f'\nat = [1979-05-27]", r'at is \["1979-05-27"\]; it has to be a point, such as'),
    ("[[check]]\ntarget = 'f'\nbox = { x = 1 }", r'box is {"x": 1}; it has to be intervals, such as'),
    ("[[check]]\ntarget = 'f'\nbox = { x = 'ab' }", r'box is {"x": "ab"}; it has to be intervals, such as'),
    ("rtol = 1" + 400 * "0", "it has to be a finite number from 0 on"),
    ("[[check]]\ntarget = 'f'\nallow = ['FAIL']", "allow is .*; it has to be some of fail, error"),
    ("check = 1", "it has to be a list of tables"),
    ("[files]\n'a.py' = 1", r"\[files\.\"a\.py\"\]: it has to be a table"),
    ("[files.'a.py']\ntarget = 'f'", "there is no key 'target'"),
    ("[pairs]\nslope = []", r"\[pairs\]: there is no key 'slope'"),
    ("[pairs]\ngradient = ['d_']", r"has to have \{f\} in it once"),
    ("exclude = 'a'", "exclude has to be a list of texts"),
    ("workers = 0", "workers has to be a number of processes"),
    ("require-points = 1", "require-points is 1; it has to be true or false"),
])  # fmt: skip
def test_what_is_wrong(text: str, said: str, tmp_path: Path) -> None:
    """The file, the table, the key, and the nearest that there is."""
    with pytest.raises(UsageError, match=said):
        load(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[project]\nname =\n", r"pyproject\.toml is not valid TOML: Invalid value \(at line 2, column 7\)\."),
        ("tool = 1", r"pyproject\.toml, \[tool\]: it has to be a table"),
        ("[tool]\ngradcli = 1", r"pyproject\.toml, \[tool\.gradcli\]: it has to be a table"),
    ],
)
def test_a_faulty_pyproject_is_not_passed_over(text: str, said: str, tmp_path: Path) -> None:
    """The project of the folder above is another one."""
    inner = tmp_path / "inner"
    inner.mkdir()
    written(tmp_path, "[tool.gradcli]\nseed = 1\n", "pyproject.toml")
    written(inner, text, "pyproject.toml")

    with pytest.raises(UsageError, match=said):
        find(str(inner))


def test_a_file_that_is_named_has_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        load(str(tmp_path / "missing.toml"))
    with pytest.raises(UsageError, match=r"has no table \[tool\.gradcli\]"):
        load(written(tmp_path, "[tool.ruff]\n", "pyproject.toml"))


def test_the_keys_are_the_options_of_check() -> None:
    import click

    command = program.get_command(click.Context(program), "check")
    assert command is not None
    options = {name.removeprefix("--") for each in command.params for name in each.opts if name.startswith("--")}

    assert set(ENTRY) - {"name", "target", "allow", "skip"} == options - {
        "selftest",
        "all",
        "json",
        "width",
        "format",
        "out",
        "workers",
        "scheduler",
    }


def test_the_table_and_the_text(tmp_path: Path) -> None:
    """The text keeps the lines of the table's entries."""
    path = tmp_path / "file.toml"
    path.write_text("[a]\nb = 1\n")

    assert read_toml(str(path)) == ({"a": {"b": 1}}, "[a]\nb = 1\n")


@pytest.mark.parametrize(("data", "said"), [
    ("seed = 1\nseed = \nx = 1", r"file\.toml is not valid TOML: Invalid value \(at line 2, column 8\)\."),
    ("seed = 1\n[check\nx = 1\n", r"not valid TOML: Expected '\]' .*line 2"),
    ("exclude = [\n", r"Invalid value \(at end of document\)\."),
    ("exclude = [\n'a'\n\n", r"not valid TOML: Unclosed array \(at end of document\)\."),
    (b"seed = 1\nname = '\xff'\n", "not valid TOML: 'utf-8' codec can't decode byte 0xff"),
    (b"\xef\xbb\xbfseed = 1\n", "not valid TOML: Invalid "),
    *(
        (text, "not valid TOML: it is nested too deeply.")
        for text in (
            "exclude = " + 5000 * "[",
            f"a{5000 * '.a'} = 1",
            f"[a{5000 * ' . a'}]",
            "a = " + 5000 * "{b=",
        )
    ),
    ("seed = 1" + 5000 * "0", "not valid TOML: Exceeds the limit"),
])  # fmt: skip
def test_what_is_not_valid(data: str | bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())

    with pytest.raises(UsageError, match=said):
        read_toml(str(path))


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.toml"
    path.touch()

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("gradcli.shared.regular_files.regular_file", refused)
    with pytest.raises(UsageError, match=r"file\.toml' cannot be read: Permission denied"):
        read_toml(str(path))
