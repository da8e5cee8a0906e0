"""One call for each command: a target and a point as typed in, a record out."""

from gradcli.queries.closed_form import symbolic
from gradcli.queries.comparison import check
from gradcli.queries.derivatives import gradient, hessian, jacobian
from gradcli.queries.listing import tape
from gradcli.queries.words import operations

__all__ = ["check", "gradient", "hessian", "jacobian", "operations", "symbolic", "tape"]
