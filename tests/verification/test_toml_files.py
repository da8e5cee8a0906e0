"""TOML files: what is said of those that are not valid."""

from pathlib import Path

import pytest

from gradcli.errors import UsageError
from gradcli.verification.configuration import read_toml


def test_the_table_and_the_text(tmp_path: Path) -> None:
    """The text keeps the lines of the table's entries."""
    path = tmp_path / "file.toml"
    path.write_text("[a]\nb = 1\n")

    assert read_toml(str(path)) == ({"a": {"b": 1}}, "[a]\nb = 1\n")


@pytest.mark.parametrize(("data", "said"), [
    ("seed = 1\nseed = \nx = 1", r"file\.toml is not valid TOML: invalid value\.\n  .*file\.toml:2: seed ="),
    ("seed = 1\n[check\nx = 1\n", r"not valid TOML: expected '\]' .*\.\n  .*file\.toml:2: \[check\n +\^$"),
    ("exclude = [\n", r"invalid value, at the end of the file\.\n  .*file\.toml:1: exclude = \[\n +\^$"),
    ("exclude = [\n'a'\n\n", r"not valid TOML: unclosed array, at the end .*\.\n  .*file\.toml:2: 'a'\n +\^$"),
    (b"seed = 1\nname = '\xff'\n", r"not valid TOML: byte 0xff is not UTF-8\.\n  .*file\.toml:2$"),
    (b"\xef\xbb\xbfseed = 1\n", r"not valid TOML: it begins with a byte order mark.*\.\n  .*file\.toml:1: "),
    *(
        (text, r"not valid TOML: it is nested too deeply\.$")
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

    monkeypatch.setattr("builtins.open", refused)
    with pytest.raises(UsageError, match=r"file\.toml' cannot be read: Permission denied"):
        read_toml(str(path))
