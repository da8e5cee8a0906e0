"""The computation behind each command: targets and points as typed go in, a record comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.shared.lazy_imports import on_first_use

if TYPE_CHECKING:
    from gradcli.answers.targets import resolve
    from gradcli.queries.closed_form import symbolic
    from gradcli.queries.derivation import derive
    from gradcli.queries.derivatives import gradient, hessian, hessian_pattern, jacobian, jacobian_pattern
    from gradcli.queries.explanation import explain, forward_sweep, steps
    from gradcli.queries.formulas_at_prompt import preview, warm, warm_symbolic, without_gradient
    from gradcli.queries.gradient_check import check, points_of_file
    from gradcli.queries.gradient_cost import gradient_cost
    from gradcli.queries.installed_versions import environment
    from gradcli.queries.known_operations import functions, operations, prompt_functions
    from gradcli.queries.perturbation import perturb
    from gradcli.queries.plot_data import bars, curve, curves, differences
    from gradcli.queries.plots import contour, plot
    from gradcli.queries.precision import precision
    from gradcli.queries.propagation import propagate
    from gradcli.queries.session_workspace import dependencies
    from gradcli.queries.tape_graphs import graph_of, tape_graph
    from gradcli.queries.tape_listing import tape
    from gradcli.queries.two_functions import compare, compare_engines

# The module that defines each query. It is imported when it is first used, since a command needs only one.
_HOMES = {
    "bars": "plot_data",
    "compare": "two_functions",
    "compare_engines": "two_functions",
    "contour": "plots",
    "plot": "plots",
    "curve": "plot_data",
    "curves": "plot_data",
    "differences": "plot_data",
    "check": "gradient_check",
    "derive": "derivation",
    "environment": "installed_versions",
    "explain": "explanation",
    "forward_sweep": "explanation",
    "functions": "known_operations",
    "gradient": "derivatives",
    "gradient_cost": "gradient_cost",
    "graph_of": "tape_graphs",
    "hessian": "derivatives",
    "hessian_pattern": "derivatives",
    "jacobian": "derivatives",
    "jacobian_pattern": "derivatives",
    "operations": "known_operations",
    "perturb": "perturbation",
    "precision": "precision",
    "points_of_file": "gradient_check",
    "preview": "formulas_at_prompt",
    "prompt_functions": "known_operations",
    "propagate": "propagation",
    "resolve": "bound_target",
    "dependencies": "session_workspace",
    "steps": "explanation",
    "symbolic": "closed_form",
    "tape": "tape_listing",
    "tape_graph": "tape_graphs",
    "warm": "formulas_at_prompt",
    "warm_symbolic": "formulas_at_prompt",
    "without_gradient": "formulas_at_prompt",
}

__getattr__ = on_first_use(__name__, _HOMES)
