"""The time that a check may take."""

from __future__ import annotations

import signal
import time

import pytest

from gradcli.errors import OutOfTimeError
from gradcli.running import clock

PATIENCE = 20.0  # seconds, after which a call that nobody ends gives up


def waits():
    """A call that goes on for long, whatever Ctrl-C does."""
    signal.raise_signal(signal.SIGINT)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        pass


@pytest.fixture
def ignored():
    """A process that ignores Ctrl-C, as one does that a script started in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_alarm_rings_where_ctrl_c_is_ignored(ignored, monkeypatch):
    """And Ctrl-C itself is ignored as before."""
    monkeypatch.setattr(clock, "GRACE", 0.1)
    started = time.monotonic()
    with pytest.raises(OutOfTimeError), clock.Clock(0.1).alarm():
        waits()

    assert time.monotonic() - started < PATIENCE / 2
    assert signal.SIG_IGN is signal.getsignal(signal.SIGINT)
