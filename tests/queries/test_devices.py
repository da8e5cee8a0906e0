"""The commands on a device: the same records, computed by arrays that refuse to be converted."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.errors import DeviceError, UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Verdict
from tests.standin.array import count
from tests.standin.library import installed

PROGRAM = """
    import numpy as np
    W = np.array([[1.0, 2.0], [3.0, 4.0]])
    def f(x, c=2.0):
        y = np.zeros(2)
        y[:] = np.tanh(W @ x)
        if y[0] > 0:
            y = y * c
        return np.sum(y ** 2)
    """
POINT = "x=[0.1,0.2],c=2"


@pytest.fixture(autouse=True)
def gpu():
    with installed():
        count.reset()
        yield


@pytest.mark.parametrize(
    "query", [queries.gradient, queries.hessian, queries.tape, queries.tape_graph], ids=lambda f: f.__name__
)
def test_the_record_is_that_of_the_host(query, program):
    target = program(PROGRAM)
    wanted = query(target, POINT)
    assert count.uploads == 0
    found = query(target, POINT, device="gpu")
    assert count.uploads > 0
    same(wanted, found)


def same(wanted, found):
    """Records and nested lists, tuples and dicts with the same numbers."""
    if isinstance(wanted, Frozen):
        same(vars(wanted), vars(found))
    elif isinstance(wanted, dict):
        assert list(found) == list(wanted)
        same(list(wanted.values()), list(found.values()))
    elif isinstance(wanted, (list, tuple)):
        for one, other in zip(wanted, found, strict=True):
            same(one, other)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)
    else:
        assert found == wanted


def test_the_jacobian(program):
    target = program("import numpy as np\ndef f(x): return np.exp(x) * x[0]\n")
    wanted, found = queries.jacobian(target, "[1,2]"), queries.jacobian(target, "[1,2]", device="gpu:0")
    same((wanted.value, wanted.jacobian), (found.value, found.jacobian))


def test_the_check_of_what_the_device_computes(program):
    found = queries.check(program(PROGRAM), POINT, CheckRequest(device="gpu"))
    assert {row.verdict for row in found.components} == {Verdict.PASS}
    assert count.uploads > 0


def test_a_gradient_by_hand_runs_on_the_host(program):
    with pytest.raises(UsageError, match="a hand-written gradient runs on the host"):
        queries.check(program(PROGRAM), POINT, CheckRequest(against="p.py:f", device="gpu"))


def test_an_unknown_device():
    with pytest.raises(DeviceError, match="The devices are cpu, gpu, gpu:0"):
        queries.gradient("x*x", "1", device="tpu")


def test_what_is_not_finite(program):
    target = program("import numpy as np\ndef f(x):\n    return np.sum(np.log(x))\n")
    codes = [note.code for note in queries.gradient(target, "[0,1]", device="gpu").findings]
    assert [note.code for note in queries.gradient(target, "[0,1]").findings] == codes
    assert codes
