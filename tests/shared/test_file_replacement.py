"""Files that are written whole or not at all."""

import os
import sys

import pytest

from gradcli.shared.file_replacement import replace_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and devices are those of POSIX")


def test_a_new_file(tmp_path):
    replace_file(str(tmp_path / "a.txt"), b"new")

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.txt": b"new"}


def test_permissions_stay(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)

    replace_file(str(path), b"new")

    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (0o640, b"new")


def test_a_link_stays_one(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "link").symlink_to("a.txt")

    replace_file(str(tmp_path / "link"), b"new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a.txt").read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files have names")
def test_a_file_has_no_name_until_it_is_whole(tmp_path, monkeypatch):
    """A process that is killed while it writes leaves nothing."""
    seen = []
    monkeypatch.setattr("os.fsync", lambda handle: seen.append([*tmp_path.iterdir()]))
    replace_file(str(tmp_path / "a.txt"), b"new")

    assert seen == [[]]


@pytest.mark.parametrize("is_nameless", [True, False])
def test_a_file_system_without_nameless_files(is_nameless, tmp_path, monkeypatch):
    """The file has a name from the beginning; that of another process is left alone."""
    if not is_nameless:
        monkeypatch.delattr("os.O_TMPFILE", raising=False)
    other = tmp_path / f"a.txt.{os.getpid()}-1.tmp"
    other.write_bytes(b"other")
    replace_file(str(tmp_path / "a.txt"), b"new")

    assert {"a.txt": b"new", other.name: b"other"} == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.parametrize("function", ["os.fsync", "os.replace", "os.link"])
def test_a_failure_leaves_the_old_file(function, tmp_path, monkeypatch):

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    if function == "os.link" and not hasattr(os, "O_TMPFILE"):
        pytest.skip("files have names")
    (tmp_path / "a.txt").write_bytes(b"old")
    monkeypatch.setattr(function, full)

    with pytest.raises(OSError, match="No space"):
        replace_file(str(tmp_path / "a.txt"), b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.txt": b"old"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
def test_a_device_is_written_as_it_is():
    with pytest.raises(OSError, match="No space"):
        replace_file("/dev/full", b"new")
    assert not os.path.isfile("/dev/full")


def test_a_pipe_is_written_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    replace_file(str(tmp_path / "pipe"), b"new")

    assert os.read(reader, 10) == b"new"
    os.close(reader)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_that_nothing_reads_is_an_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="No such device"):
        replace_file(f"{tmp_path}/pipe", b"text")
