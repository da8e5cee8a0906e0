"""One trial of each fault; `python -m tests.faults` makes more."""

import random
import sys
from pathlib import Path

import pytest

from tests.faults.trials import TRIALS
from tests.interrupts import heard

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc"),
    pytest.mark.sampled(9),
]


@pytest.mark.parametrize("name", TRIALS)
def test_verify_survives(name: str, tmp_path: Path) -> None:
    with heard():
        assert TRIALS[name][0](tmp_path, random.Random(0))
