"""What holds for the tests of the rules: many sweep the whole table, in which some rows are flat everywhere."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The sign of a number is flat, and its gradient warns of it; the tests of rows mean it."""
    here = {path for path in {item.path for item in items} if HERE in path.parents}
    for item in items:
        if item.path in here:
            item.add_marker(pytest.mark.filterwarnings("ignore:G205"))
