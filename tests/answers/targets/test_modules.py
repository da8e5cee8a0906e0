"""Modules as targets: those installed, those in the current folder, and those that are not there."""

import sys

import pytest

from gradcli.answers.targets import resolve
from gradcli.errors import TargetError, UserCodeError


def test_a_function_of_an_installed_module():
    assert resolve("statistics:fmean").function([2.0, 4.0]) == 3.0


def test_two_colons():
    assert resolve("statistics::fmean").name == "fmean"


def test_a_package_in_the_current_folder(write):
    write("some_package/__init__.py", "")
    write("some_package/boxes.py", "from . import __name__ as name\ndef f(x): return x")

    assert resolve("some_package.boxes:f").function(2.0) == 2.0


def test_the_current_folder_hides_nothing_afterwards(monkeypatch):
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    resolve("statistics:fmean")

    assert [place for place in sys.path if place in ("", sys.path[-1])] == [""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("statistcs:fmean", r"There is no module 'statistcs'.\nDid you mean statistics\?"),
        ("jsn.decoder:f", r"Did you mean json.decoder\?"),
        ("json.decodr:f", r"There is no module 'decodr' in json."),
        ("math.sin:f", "There is no module 'sin' in math."),
        ("2fast:f", "'2fast' is not a module name"),
    ],
)
def test_no_such_module(text, message):
    with pytest.raises(TargetError, match=message):
        resolve(text)


def test_a_module_that_raises(write):
    path = write("module_that_raises.py", "1 / 0\n")

    with pytest.raises(UserCodeError, match=r"ZeroDivisionError while module_that_raises is imported") as caught:
        resolve("module_that_raises:f")

    assert ((str(path), 1, "<module>"),) == caught.value.frames


def test_a_module_that_imports_what_is_not_there(write):
    """The module is there, so it is not the target that is missing."""
    path = write("module_with_needs.py", "import no_such_module_anywhere\n")

    with pytest.raises(UserCodeError, match=r"No module named 'no_such_module_anywhere'") as caught:
        resolve("module_with_needs:f")

    assert (str(path), 1) == (caught.value.file, caught.value.line)


def test_a_module_that_exits(write):
    write("module_that_exits.py", "raise SystemExit('usage: …')\n")

    with pytest.raises(UserCodeError, match=r"SystemExit while module_that_exits is imported: usage: …"):
        resolve("module_that_exits:f")
