"""Files of packages, imported as their modules."""

import pytest

from gradcli.answers.targets import python_files, resolve


@pytest.fixture
def package(tmp_path):
    """A package in a src layout."""
    folder = tmp_path / "src" / "shapes_of_a_test"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "sizes.py").write_text("SCALE = 2.0\n")
    (folder / "area.py").write_text("from .sizes import SCALE\n\n\ndef square(x):\n    return SCALE * x * x\n")
    return folder


def test_a_file_of_a_package_is_its_module(package):
    """Relative imports work, and its name is that of the module."""
    target = resolve(f"{package}/area.py:square")

    assert target.function(3.0) == 18.0
    assert python_files.load(str(package / "area.py")).__name__ == "shapes_of_a_test.area"


def test_a_change_beside_it_is_seen(package):
    assert resolve(f"{package}/area.py:square").function(3.0) == 18.0
    (package / "sizes.py").write_text("SCALE = 10.0\n")

    assert resolve(f"{package}/area.py:square").function(3.0) == 90.0


def test_two_packages_of_one_name(tmp_path, package):
    other = tmp_path / "other" / "shapes_of_a_test"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    (other / "area.py").write_text("def square(x):\n    return x * x\n")

    assert resolve(f"{package}/area.py:square").function(3.0) == 18.0
    assert resolve(f"{other}/area.py:square").function(3.0) == 9.0
