"""The frozen records that pass from computing to presenting, and their JSON form.

A record holds only plain Python: numbers, strings, lists and dictionaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.shared.lazy_imports import on_first_use

if TYPE_CHECKING:
    from gradcli.shared.records.checks import (
        OUTCOME_EXITS,
        Comparison,
        Component,
        DeviceAnswer,
        DeviceTest,
        Mutant,
        Overall,
        SelfTest,
        Verdict,
    )
    from gradcli.shared.records.closed_form import ClosedForm
    from gradcli.shared.records.derivatives import Gradient, Hessian, Jacobian
    from gradcli.shared.records.derived_source import Derived
    from gradcli.shared.records.environment import Environment
    from gradcli.shared.records.explanations import (
        Addition,
        ArrayPart,
        CentralDifference,
        Explanation,
        ForwardSweep,
        OutcomeRemark,
        Perturbation,
        Scope,
        Statement,
        Steps,
        SweepStep,
    )
    from gradcli.shared.records.function_comparisons import Agreement, Closeness, ComparedNumber, Likeness
    from gradcli.shared.records.json_form import SCHEMA, as_json, error_as_json, mirror, plain
    from gradcli.shared.records.plots import Bars, Plot, Series
    from gradcli.shared.records.precision import DigitLoss, NumberAccuracy, Precision
    from gradcli.shared.records.result_and_finding import ByName, Finding, Result, Structure, is_finite
    from gradcli.shared.records.tape_graphs import NodeUse, ProgramText, TapeGraph
    from gradcli.shared.records.tapes import Node, Outcome, TapeListing

# The module that defines each name. A name is imported when it is first used, since a command needs one kind of record.
_HOMES = {
    "OUTCOME_EXITS": "checks",
    "SCHEMA": "json_form",
    "Addition": "explanations",
    "Agreement": "function_comparisons",
    "ArrayPart": "explanations",
    "Bars": "plots",
    "ByName": "result_and_finding",
    "CentralDifference": "explanations",
    "ClosedForm": "closed_form",
    "Closeness": "function_comparisons",
    "ComparedNumber": "function_comparisons",
    "Comparison": "checks",
    "Component": "checks",
    "Derived": "derived_source",
    "DeviceAnswer": "checks",
    "DeviceTest": "checks",
    "DigitLoss": "precision",
    "Environment": "environment",
    "Explanation": "explanations",
    "Finding": "result_and_finding",
    "ForwardSweep": "explanations",
    "Gradient": "derivatives",
    "Hessian": "derivatives",
    "Jacobian": "derivatives",
    "Likeness": "function_comparisons",
    "Mutant": "checks",
    "Node": "tapes",
    "NodeUse": "tape_graphs",
    "NumberAccuracy": "precision",
    "Outcome": "tapes",
    "OutcomeRemark": "explanations",
    "Overall": "checks",
    "Perturbation": "explanations",
    "Plot": "plots",
    "Precision": "precision",
    "ProgramText": "tape_graphs",
    "Result": "result_and_finding",
    "Scope": "explanations",
    "SelfTest": "checks",
    "Series": "plots",
    "Statement": "explanations",
    "Steps": "explanations",
    "Structure": "result_and_finding",
    "SweepStep": "explanations",
    "TapeGraph": "tape_graphs",
    "TapeListing": "tapes",
    "Verdict": "checks",
    "as_json": "json_form",
    "error_as_json": "json_form",
    "is_finite": "result_and_finding",
    "mirror": "json_form",
    "plain": "json_form",
}

__all__ = [
    "OUTCOME_EXITS",
    "SCHEMA",
    "Addition",
    "Agreement",
    "ArrayPart",
    "Bars",
    "ByName",
    "CentralDifference",
    "ClosedForm",
    "Closeness",
    "ComparedNumber",
    "Comparison",
    "Component",
    "Derived",
    "DeviceAnswer",
    "DeviceTest",
    "DigitLoss",
    "Environment",
    "Explanation",
    "Finding",
    "ForwardSweep",
    "Gradient",
    "Hessian",
    "Jacobian",
    "Likeness",
    "Mutant",
    "Node",
    "NodeUse",
    "NumberAccuracy",
    "Outcome",
    "OutcomeRemark",
    "Overall",
    "Perturbation",
    "Plot",
    "Precision",
    "ProgramText",
    "Result",
    "Scope",
    "SelfTest",
    "Series",
    "Statement",
    "Steps",
    "Structure",
    "SweepStep",
    "TapeGraph",
    "TapeListing",
    "Verdict",
    "as_json",
    "error_as_json",
    "is_finite",
    "mirror",
    "plain",
]

__getattr__ = on_first_use(__name__, _HOMES)
