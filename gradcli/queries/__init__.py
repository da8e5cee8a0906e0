"""One call for each command: a target and a point as typed in, a record out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.lazy import on_first_use

if TYPE_CHECKING:
    from gradcli.queries.closed_form import symbolic
    from gradcli.queries.comparison import check
    from gradcli.queries.derivation import derive
    from gradcli.queries.derivatives import gradient, hessian, jacobian
    from gradcli.queries.evaluating import born, without_gradient
    from gradcli.queries.explanation import explain, forward_sweep
    from gradcli.queries.installation import environment
    from gradcli.queries.listing import tape
    from gradcli.queries.perturbing import perturb
    from gradcli.queries.plotting import bars, curve, differences
    from gradcli.queries.precision import precision
    from gradcli.queries.previewing import preview
    from gradcli.queries.selftest import selftest
    from gradcli.queries.steps import steps
    from gradcli.queries.warming import warm, warm_symbolic
    from gradcli.queries.words import functions, operations
    from gradcli.queries.workspace import rested_on
    from gradcli.targets import resolve

# Where each query lives; it is imported when it is first asked for, for a command asks one.
_HOMES = {
    "bars": "plotting",
    "born": "evaluating",
    "curve": "plotting",
    "differences": "plotting",
    "check": "comparison",
    "derive": "derivation",
    "environment": "installation",
    "explain": "explanation",
    "forward_sweep": "explanation",
    "functions": "words",
    "gradient": "derivatives",
    "hessian": "derivatives",
    "jacobian": "derivatives",
    "operations": "words",
    "perturb": "perturbing",
    "precision": "precision",
    "preview": "previewing",
    "resolve": "question",
    "rested_on": "workspace",
    "selftest": "selftest",
    "steps": "steps",
    "symbolic": "closed_form",
    "tape": "listing",
    "warm": "warming",
    "warm_symbolic": "warming",
    "without_gradient": "evaluating",
}

__all__ = [
    "bars",
    "born",
    "check",
    "curve",
    "derive",
    "differences",
    "environment",
    "explain",
    "forward_sweep",
    "functions",
    "gradient",
    "hessian",
    "jacobian",
    "operations",
    "perturb",
    "precision",
    "preview",
    "resolve",
    "rested_on",
    "selftest",
    "steps",
    "symbolic",
    "tape",
    "warm",
    "warm_symbolic",
    "without_gradient",
]

__getattr__ = on_first_use(__name__, _HOMES)
