"""A run step by step: each node as it is computed, then each as it passes its sensitivity back."""

from __future__ import annotations

from gradcli.answers.explain.named_values import NamedValues
from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.answers.explain.statement_nodes import numbered
from gradcli.answers.targets import Asked, Where
from gradcli.queries.bound_target import ask
from gradcli.queries.tape_listing import listing_of
from gradcli.shared.records.explanations import Steps


def steps(target: Asked, at: Where, wrt: str | None = None) -> Steps:
    """Every step of the forward and reverse sweeps of a run of `target` at `at`, node by node.

    Raises:
        UsageError: the target or the point cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    question = ask(target, at, wrt)
    trace = question.record(names=True, numbered=numbered)
    listing = listing_of(question, trace)
    explanation = ReverseExplanation(trace, [node.index for node in trace.shown])
    moves = tuple(explanation.backwards())
    return Steps(listing, moves, NamedValues(explanation, moves))
