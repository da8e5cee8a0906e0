"""Modules as targets: those installed, those in the current folder, and those that are not there."""

import sys

import pytest

from gradcli.answers.targets import resolve
from gradcli.errors import TargetError, UserCodeError


def test_a_function_of_an_installed_module():
    assert resolve("statistics:fmean").function([2.0, 4.0]) == 3.0
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


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("module_that_raises", "1 / 0\n", "ZeroDivisionError while module_that_raises is imported"),
        ("module_with_needs", "import no_such_module_anywhere\n", "No module named 'no_such_module_anywhere'"),
        (
            "module_that_exits",
            "raise SystemExit('usage: …')\n",
            "SystemExit while module_that_exits is .*: usage: …",
        ),
    ],
)
def test_a_module_that_raises(write, name, text, said):
    """The module is there, so that it is not the target that is missing."""
    path = write(f"{name}.py", text)

    with pytest.raises(UserCodeError, match=said) as caught:
        resolve(f"{name}:f")

    assert ((str(path), 1, "<module>"),) == caught.value.frames
    assert (str(path), 1) == (caught.value.file, caught.value.line)
