"""`gradcli env`: what is asked, what is printed."""

import json
import sys

import pytest

from gradcli import queries as real
from gradcli.queries.installed_versions import LIBRARIES, version
from gradcli.shared.records.environment import Environment
from tests.terminal.cli.conftest import Call, Queries

FOUND = Environment(
    python="3.11.7",
    executable="/usr/bin/python3",
    system="Linux x86_64",
    versions={"gradcli": "0.1.0", "numpy": "2.4.0", "cupy": None},
    devices=("cpu", "gpu:0"),
)

SHOWN = """\
versions
  Python      3.11.7
  executable  /usr/bin/python3
  system      Linux x86_64
  gradcli     0.1.0
  numpy       2.4.0
  cupy        not installed

devices
  devices  cpu, gpu:0
  tested   gradcli has not been tested on a GPU yet, only on a stand-in for
           CuPy's arrays; `pytest -m gpu` in its repository tests it on yours.

terminal
  terminal     yes
  width        80
  colours      no
  signs        yes
  encoding     utf-8
  TERM         xterm
  COLUMNS      80
  NO_COLOR     1
  FORCE_COLOR  —

files
  history   /tmp/lines
  settings  /tmp/settings
"""


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    files = {"GRADCLI_HISTORY": "/tmp/lines", "GRADCLI_SETTINGS": "/tmp/settings"}
    for name, value in {"TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1", **files}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def test_everything(call: Call, queries: Queries, fixed: None) -> None:
    """Versions, devices, what stdout can show and why, and files."""
    queries.answers("environment", FOUND)

    assert call("env", terminal=True) == (0, SHOWN, "")


def test_json(call: Call, queries: Queries, fixed: None) -> None:
    queries.answers("environment", FOUND)
    found = json.loads(call("env", "--json").out)

    assert (found["command"], found["versions"]["cupy"], found["versions"]["gradcli"]) == ("env", None, "0.1.0")
    assert (found["terminal"]["terminal"], found["terminal"]["width"]) == (False, 80)


def test_what_is_asked() -> None:
    """The interpreter that runs, every library, and the host among the devices."""
    found = real.environment()

    assert (sys.executable, "cpu", tuple(LIBRARIES)) == (found.executable, found.devices[0], tuple(found.versions))


def test_a_version() -> None:
    """It is the one that the library gives itself; what is not installed has none."""
    import numpy as np

    assert version("numpy") == np.__version__
    assert version("no-such-library") is None
