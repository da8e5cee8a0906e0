"""The frozen records that cross from computing to presenting, and their JSON form.

A record holds plain Python only: numbers, strings, lists, dictionaries.
"""

from gradcli.records.base import ByName, Finding, Structure
from gradcli.records.checks import OVERALL_EXITS, Comparison, Component, Mutant, Overall, SelfTest, Verdict
from gradcli.records.derivatives import ClosedForm, Gradient, Hessian, Jacobian, Known, Loss, Precision
from gradcli.records.environment import Environment
from gradcli.records.json_form import COMMANDS, SCHEMA, as_json, error_as_json, mirror, plain
from gradcli.records.plots import Bars, Plot, Series
from gradcli.records.tapes import (
    Addition,
    Explanation,
    ForwardSweep,
    Move,
    Node,
    Outcome,
    Perturbation,
    Push,
    Statement,
    Steps,
    TapeListing,
)

__all__ = [
    "COMMANDS",
    "OVERALL_EXITS",
    "SCHEMA",
    "Addition",
    "Bars",
    "ByName",
    "ClosedForm",
    "Comparison",
    "Component",
    "Environment",
    "Explanation",
    "Finding",
    "ForwardSweep",
    "Gradient",
    "Hessian",
    "Jacobian",
    "Known",
    "Loss",
    "Move",
    "Mutant",
    "Node",
    "Outcome",
    "Overall",
    "Perturbation",
    "Plot",
    "Precision",
    "Push",
    "SelfTest",
    "Series",
    "Statement",
    "Steps",
    "Structure",
    "TapeListing",
    "Verdict",
    "as_json",
    "error_as_json",
    "mirror",
    "plain",
]
