"""`gradcli hessian`: the second derivatives of a target at a point."""

from __future__ import annotations

from gradcli.terminal.cli.commands.grad import derivative_command

command = derivative_command(
    "hessian",
    "hessian",
    "Compute the matrix of second derivatives.",
    "Compute the matrix of second derivatives of TARGET at POINT.",
    "gradcli hessian 'x**2 * y' --at 1,2",
    "gradcli hessian file.py:f --at @point.json --wrt x",
    "gradcli hessian file.py:f --at @point.json --pattern",
)
