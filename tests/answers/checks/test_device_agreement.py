"""What differs between a device and the host, on numbers that a device might have given."""

from contextlib import nullcontext

import numpy as np
import pytest

from gradcli.answers.checks import comparison, references
from gradcli.answers.checks.problem.compared_case import open_case
from gradcli.answers.targets.functions import function_target
from gradcli.shared import devices
from tests.standin.library import installed

HOST = [2.0, 4.0]


def told(monkeypatch, own, again, rounding=(1e-15, 1e-15)):
    """The findings where the device gives `own`, and `again` in its second run."""
    target = function_target("f", "f", lambda x: np.sum(x * x))
    case = open_case(target.with_inputs(["x"]), {"x": np.array([1.0, 2.0])}, ("x",), lambda doing, **_: nullcontext())
    monkeypatch.setattr(references, "reverse_on", lambda device, case: again)
    with installed():
        found = list(comparison.device_findings(case, devices.device("gpu"), own, HOST, rounding))
    return [(each.code, each.message) for each in found]


EXPLAINED = "x[1]: gpu differs from the host by 8.9e-16, 2e-16 of it; a different order of additions explains that"
MORE = "x[1]: gpu differs from the host by 9.5e-07, 2e-07 of it; more than a different order of additions explains"


@pytest.mark.parametrize(("off", "said"), [(2.0**-50, EXPLAINED), (2.0**-20, MORE)])
def test_the_host_differs(monkeypatch, off, said):
    own = [2.0, 4.0 + off]

    assert [("G701", said)] == told(monkeypatch, own, own)


def test_two_runs_differ(monkeypatch):
    assert told(monkeypatch, HOST, [1.5, 4.0]) == [("G702", "x[0]: two runs on gpu differ by 0.5, 0.2 of it")]


def test_nothing_differs(monkeypatch):
    assert told(monkeypatch, HOST, HOST) == []
    assert told(monkeypatch, [2.0, np.inf], [2.0, np.inf]) == []
