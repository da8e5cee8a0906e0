"""A folder for the libraries of a test run, in place of the user's."""

import pytest


@pytest.fixture(autouse=True)
def libraries(tmp_path_factory, monkeypatch):
    """The folder, which is one for all tests, so that a program is built once."""
    folder = tmp_path_factory.getbasetemp() / "libraries"
    monkeypatch.setenv("GRADCLI_CACHE", str(folder))
    return folder / "compiled"
