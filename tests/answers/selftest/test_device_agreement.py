"""The test of a device, on the stand-in for one."""

import builtins

import numpy as np
import pytest

import gradcli
from gradcli.answers.selftest import device_agreement, device_test
from gradcli.answers.selftest.array_forms import FORMS, program
from gradcli.answers.selftest.device_cases import DeviceCase
from gradcli.errors import DeviceError, Exit
from tests.standin import library
from tests.standin.library import installed


@pytest.fixture
def gpu():
    with installed():
        yield gradcli.device("gpu")


def only(outcome, found):
    return [(each.name, each.reason) for each in found.answers if each.outcome == outcome]


def test_a_sample_agrees():
    with installed():
        found = device_test("gpu", 29)

    assert only("differs", found) == []
    assert found.exit is Exit.PASS
    assert {each.group for each in found.answers} >= {"elementwise rules", "NumPy's functions", "behaviour"}


@pytest.mark.long
def test_all_agree():
    with installed():
        found = device_test("gpu")

    assert only("differs", found) == []
    assert len(only("agrees", found)) > 1700
    assert all("has no" in reason for _, reason in only("absent", found))


def test_a_wrong_number_is_found_with_its_first_step(gpu, monkeypatch):
    right = library.call

    def wrong(name, function, arguments, options):
        found = right(name, function, arguments, options)
        return found * 1.001 if name == "cumsum" else found

    monkeypatch.setattr(library, "call", wrong)
    case = DeviceCase("g", "n", lambda: lambda x: np.exp(np.cumsum(np.sin(x))), (np.array([0.5, 1.0]),))

    found = device_agreement.answer(case, gpu)

    assert found.outcome == "differs"
    assert found.reason.startswith("value: off by")
    assert found.reason.endswith("first at %3, cumsum")


def test_an_exception_of_the_device_is_a_difference(gpu, monkeypatch):
    def fail(name, function, arguments, options):
        raise RuntimeError("no kernel\nfor this")

    monkeypatch.setattr(library, "call", fail)
    case = DeviceCase("g", "n", lambda: lambda x: np.cumsum(x), (np.array([0.5, 1.0]),))

    assert device_agreement.answer(case, gpu).reason == "raises RuntimeError: no kernel"


def test_what_the_device_lacks_is_absent(gpu):
    case = DeviceCase("g", "n", lambda: program("special.dawsn(x)"), (np.array([0.5, 1.0]),))

    found = device_agreement.answer(case, gpu)

    assert (found.outcome, found.reason) == ("absent", "cupyx.scipy.special has no dawsn")


def test_a_missing_package_stops_only_what_needs_it(gpu, monkeypatch):
    right = builtins.__import__

    def without_scipy(name, *arguments, **options):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError("No module named 'scipy'", name="scipy")
        return right(name, *arguments, **options)

    case = DeviceCase("g", "n", lambda: program("special.erf(x)"), (np.array([0.5, 1.0]),))
    monkeypatch.setattr(builtins, "__import__", without_scipy)

    assert device_agreement.answer(case, gpu).reason == "needs scipy, which is not installed"


def test_a_result_on_the_host_is_a_difference():
    assert device_agreement.difference(np.ones(2), np.ones(2)) == "the result is not on the device"


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (np.array([1.0, 2.0 + 1e-6]), "off by 1e-06, where 2e-09 is allowed"),
        (np.array([1.0, np.nan]), "off by 0, where 2e-09 is allowed"),
        (np.array([1.0]), "float64 of shape (1,), where the host has float64 of shape (2,)"),
        (np.array([1.0, 2.0], np.float32), "float32 of shape (2,), where the host has float64 of shape (2,)"),
    ],
)
def test_how_numbers_differ(gpu, found, why):
    there = library.asarray(found)

    assert device_agreement.difference(there, np.array([1.0, 2.0])) == why


def test_without_a_device(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)

    found = gradcli.check_rules(device="gpu")

    assert found.exit is Exit.UNCHECKED
    assert found.unavailable == "the GPU needs CuPy, which is not installed"


def test_an_unknown_device_is_an_error():
    with installed(), pytest.raises(DeviceError, match="there is no device 'gpu:7'"):
        gradcli.check_rules(device="gpu:7")


def test_every_form_of_an_index_is_tried():
    """Counts and shapes in arrays, which CuPy refuses as they are."""
    assert [form for form in FORMS if "np.array(" in form]


COUNTS = {
    "repeat": lambda x, counts: np.repeat(x, counts([2, 1]), axis=0),
    "tile": lambda x, counts: np.tile(x, counts([2, 1])),
    "reshape": lambda x, counts: np.reshape(x, counts([3, 2]))[:2],
    "resize": lambda x, counts: np.resize(x, counts([2, 5])),
    "transpose": lambda x, counts: np.transpose(x, counts([1, 0])),
    "pad": lambda x, counts: np.pad(x, counts([[1, 0], [0, 1]])) ** 2,
    "one count": lambda x, counts: np.repeat(x, counts([2])),
}


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("chosen", [True, False])
def test_counts_in_arrays(name, chosen):
    f, x = COUNTS[name], np.arange(6.0).reshape(2, 3) + 0.5
    expected = gradcli.grad(lambda x: np.sum(np.sin(f(x, np.array))))(x)

    with installed() as cupy:
        kinds = [np.array] if name in ("transpose", "pad") else [np.array, cupy.asarray]
        for counts in kinds:
            with gradcli.device("gpu" if chosen else "cpu"):
                point = x if chosen else cupy.asarray(x)
                found = gradcli.grad(lambda x, counts=counts: np.sum(np.cos(f(x, counts) - np.pi / 2)))(point)
            np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
