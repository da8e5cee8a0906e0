"""The commands that ask one query: `hessian`, `jacobian`, `precision`, `symbolic`: what they ask, print, end with."""

import math
from typing import Any

import pytest

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


def holds(body: Any, held: Any) -> bool:
    """Whether a JSON value has certain fields, at any depth."""
    if isinstance(held, dict):
        return all(holds(body[name], part) for name, part in held.items())
    return bool(body == held)


LOST = samples.PRECISION.value.changed(value=math.inf)


@pytest.mark.parametrize(
    ("command", "record"),
    [
        ("hessian", samples.HESSIAN.changed(hessian={"x": {"x": math.nan}})),
        ("precision", samples.PRECISION.changed(value=LOST)),
    ],
)
def test_what_is_not_finite(command: str, record: Any, call: Call, queries: Queries) -> None:
    queries.answers(command, record)

    assert call(command, "f.py:g", "--at", "1", "--json").code == 4
