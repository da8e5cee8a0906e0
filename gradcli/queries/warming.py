"""What the first questions would have to wait for, loaded before they are asked."""

from __future__ import annotations

from importlib import import_module


def warm() -> None:
    """Import what a gradient needs, and compile the rules of the commonest operations."""
    from gradcli.queries.previewing import preview
    from gradcli.queries.workspace import Workspace

    import_module("gradcli.queries.derivatives")
    workspace = Workspace()
    workspace.define("x = 1")
    preview(workspace, "(x + 1 - x) * x / 2 ^ sin(x)")


def warm_symbolic() -> None:
    """Import SymPy and the queries that ask it."""
    for module in ("sympy", "gradcli.queries.listing", "gradcli.queries.closed_form", "gradcli.queries.comparison"):
        import_module(module)
