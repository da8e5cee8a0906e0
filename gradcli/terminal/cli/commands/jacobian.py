"""`gradcli jacobian`: the derivative of every element of the value with respect to every input."""

from __future__ import annotations

from gradcli.terminal.cli.commands.grad import derivative_command

command = derivative_command(
    "jacobian",
    "jacobian",
    "Compute the Jacobian of an array-valued target.",
    "Compute the Jacobian of TARGET, whose value is an array, at POINT.",
    "gradcli jacobian file.py:f --at 1,2",
    "gradcli jacobian file.py:f --at 1,2 --format csv",
    "gradcli jacobian file.py:f --at @start.npy --pattern",
)
