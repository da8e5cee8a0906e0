"""Targets (`file.py:f`, `package.module:f` or `2*x + sin(y)`) and the points at which they are evaluated."""

from gradcli.answers.targets.points import Point, Where, as_point, parse_point, select
from gradcli.answers.targets.target import Parameter, Target
from gradcli.answers.targets.target_resolution import Asked, resolve

__all__ = ["Asked", "Parameter", "Point", "Target", "Where", "as_point", "parse_point", "resolve", "select"]
