"""One call for each command: a target and a point as typed in, a record out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.lazy import on_first_use

if TYPE_CHECKING:
    from gradcli.queries.closed_form import symbolic
    from gradcli.queries.comparison import check
    from gradcli.queries.derivation import derive
    from gradcli.queries.derivatives import gradient, hessian, jacobian
    from gradcli.queries.explanation import explain, forward_sweep
    from gradcli.queries.installation import environment
    from gradcli.queries.live_preview import preview
    from gradcli.queries.perturbation import perturb
    from gradcli.queries.plot_data import bars, curve, differences
    from gradcli.queries.precision import precision
    from gradcli.queries.preloading import warm, warm_symbolic
    from gradcli.queries.selftest import selftest
    from gradcli.queries.steps import steps
    from gradcli.queries.tape_listing import tape
    from gradcli.queries.two_functions import compare
    from gradcli.queries.value_only import born, without_gradient
    from gradcli.queries.vocabulary import functions, operations
    from gradcli.queries.workspace import rested_on
    from gradcli.targets import resolve

# Where each query lives; it is imported when it is first asked for, for a command asks one.
_HOMES = {
    "bars": "plot_data",
    "born": "value_only",
    "compare": "two_functions",
    "curve": "plot_data",
    "differences": "plot_data",
    "check": "comparison",
    "derive": "derivation",
    "environment": "installation",
    "explain": "explanation",
    "forward_sweep": "explanation",
    "functions": "vocabulary",
    "gradient": "derivatives",
    "hessian": "derivatives",
    "jacobian": "derivatives",
    "operations": "vocabulary",
    "perturb": "perturbation",
    "precision": "precision",
    "preview": "live_preview",
    "resolve": "bound_target",
    "rested_on": "workspace",
    "selftest": "selftest",
    "steps": "steps",
    "symbolic": "closed_form",
    "tape": "tape_listing",
    "warm": "preloading",
    "warm_symbolic": "preloading",
    "without_gradient": "value_only",
}

__all__ = [
    "bars",
    "born",
    "check",
    "compare",
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
