"""Whether an answer is to be JSON is known even where the arguments cannot be parsed."""

import pytest

from gradcli.terminal.cli import json_asked


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        (True, ["grad", "x", "--json"]),
        (False, ["grad", "x"]),
        (False, ["grad", "--", "--json"]),
        (True, ["grad", "--", "-x", "--json"]),
        (False, []),
    ],
)
def test_json_among_the_options(expected: bool, arguments: list[str]) -> None:
    """What follows `--` is no option; what comes after that is one again."""
    assert json_asked(arguments) == expected
