"""Imports ahead of time, so that the first questions of a session are answered without delay."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module


def warm() -> None:
    """Import the modules for a gradient, and compile the rules of the commonest operations."""
    from gradcli.queries.live_preview import preview
    from gradcli.queries.session_workspace import Workspace

    import_module("gradcli.queries.derivatives")
    workspace = Workspace()
    workspace.define("x = 1")
    preview(workspace, "(x + 1 - x) * x / 2 ^ sin(x)")


def warm_symbolic(idle: AbstractContextManager[object] | None = None) -> None:
    """Import SymPy, and inside `idle`, when nothing else imports, the queries that use it."""
    import_module("sympy")
    for module in ("tape_listing", "closed_form", "gradient_check"):
        with idle or nullcontext():
            import_module(f"gradcli.queries.{module}")
