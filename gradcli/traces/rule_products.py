"""The products of an array rule as traces of their own: what it makes of a cotangent, or of a tangent, recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.array_rule import ArrayRule
from gradcli.tape.accumulation import UNTOUCHED
from gradcli.tape.sweeps.masked_reverse import leaf
from gradcli.tape.sweeps.reverse_and_forward import reverse_recorded
from gradcli.tape.tape import Tape
from gradcli.tape.value import bare
from gradcli.traces.node import TraceNode
from gradcli.traces.trace import Trace, trace_of


def recorded_product(node: TraceNode, position: int, ct: Any, tangent: Any = None) -> Trace:
    """What the rule of a node passes back of a cotangent to one argument, as a run of its own.

    With a tangent of the argument, what the node passes on of it instead: what is passed back is linear in the
    cotangent, and this is its transpose.  The inputs are the arguments that other nodes made, by their positions, the
    value, the cotangent, and the tangent.
    """
    rule = node.rule
    assert isinstance(rule, ArrayRule)
    tape = Tape()

    def entered(x: Any) -> Any:
        return leaf(tape, np.asarray(x)[()])

    with np.errstate(all="ignore"):
        own = {n: entered(node.operands[n]) for n in node.positions}
        value, back = entered(node.value), entered(ct)
        operands = tuple(own.get(n, x) for n, x in enumerate(node.operands))
        found = rule.vjp(position, back, value, operands, node.static)
        forth = [] if tangent is None else [entered(tangent)]
        if forth:
            found = _transposed(tape, np.sum(found * forth[0]), back)
    return trace_of(tape, rule, (), (own, value, back, *forth), found)


def _transposed(tape: Tape, product: Any, ct: Any) -> Any:
    """The recorded gradient of a product by the cotangent."""
    found = reverse_recorded(tape, product.index, np.ones_like(bare(product))[()], 0)[ct.index]
    return np.zeros_like(bare(ct)) if found is UNTOUCHED else found
