"""The run of a check: the user's function called with care, many times, within a time, at one point or at many."""

from gradcli.running.clock import Clock
from gradcli.running.session import Plan, checked

__all__ = ["Clock", "Plan", "checked"]
