"""How the test of a device is shown."""

from gradcli.shared.records.checks import DeviceAnswer, DeviceTest
from gradcli.terminal.render import Look, record_text

AGREES = DeviceAnswer("NumPy's functions", "np.sin(x), float64, contiguous", "agrees", "")
ABSENT = DeviceAnswer("elementwise rules", "erfi, float32, contiguous", "absent", "cupyx.scipy.special has no erfi")
DIFFERS = DeviceAnswer("NumPy's functions", "np.cos(x), float32, contiguous", "differs", "value: off by 2")


def test_a_device_that_agrees():
    found = record_text(DeviceTest("gpu", (AGREES, AGREES, ABSENT), None, 12.3, "NVIDIA L4, CuPy 14.2.0"), Look())

    assert found == (
        "gpu: NVIDIA L4, CuPy 14.2.0\n"
        "\n"
        "group              tried  agree  differ  not on the device\n"
        "─────────────────  ─────  ─────  ──────  ─────────────────\n"
        "NumPy's functions  2      2      0       0\n"
        "elementwise rules  1      0      0       1\n"
        "\n"
        "not on the device: cupyx.scipy.special has no erfi (1)\n"
        "\n"
        "pass · 2 agree · 0 differ · 1 not on the device · 12 s · exit 0\n"
    )


def test_what_differs_is_listed():
    found = record_text(DeviceTest("gpu", (AGREES, DIFFERS), None, 1.0, "NVIDIA L4, CuPy 14.2.0"), Look())

    assert "np.cos(x), float32, contiguous  value: off by 2" in found
    assert found.endswith("fail · 1 agree · 1 differ · 0 not on the device · 1 s · exit 1\n")


def test_without_a_device_it_is_one_line():
    found = record_text(DeviceTest("gpu", (), "the GPU needs CuPy, which is not installed", 0.0), Look())

    assert found == "unchecked · the GPU needs CuPy, which is not installed · exit 6\n"
