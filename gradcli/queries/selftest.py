"""The self-test of the check, and the test of a device."""

from __future__ import annotations

from typing import Any

from gradcli.engine.code.stack_frames import library_call
from gradcli.shared.records.checks import DeviceTest, SelfTest


def selftest(*, listener: Any = None, every: int = 1, device: str = "cpu") -> SelfTest | DeviceTest:
    """Make each rule wrong in turn, and see whether the check fails it; on a device, compare each rule with the host.

    Args:
        listener: receives the progress.
        every: run only each `every`-th case.
        device: `cpu`, or the device to test.
    """
    from gradcli.answers import selftest as package

    tell = listener.tick if listener else lambda done, of: None
    return package.selftest(every, tell) if device == "cpu" else package.device_test(device, every, tell)


@library_call
def check_rules(device: str = "cpu") -> SelfTest | DeviceTest:
    """Test gradcli itself: that `check` fails every wrong rule, or that a device gives the host's numbers.

    Args:
        device: `"cpu"` (default) makes each derivative rule wrong in turn and checks it, in about a minute. `"gpu"`
            computes every rule and every supported function of NumPy and SciPy on the device and on the host, in
            float64 and float32, contiguous and strided, in minutes.

    Returns:
        A record; `.exit` is 0 if all is right, 1 if not, 6 if there is no device. `str()` of it is its table.

    Raises:
        DeviceError: the name is not that of a device.
    """
    return selftest(device=device)
