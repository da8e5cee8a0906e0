"""The memory of a gradient stays with the process."""

import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource
import numpy as np
import gradcli

def f(x):
    for _ in range(20):
        x = np.sin(x) * x
    return np.sum(x)

gradient, x = gradcli.grad(f), np.ones(10_000)
for _ in range(5):
    gradient(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    gradient(x)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries keep freed memory in ways of their own"
)
def test_a_gradient_uses_the_memory_that_the_one_before_gave_back():
    """Ten gradients of 40 arrays of 80 kB each are not given their 8,000 pages anew."""
    ran = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)

    assert 100 > int(ran.stdout)
