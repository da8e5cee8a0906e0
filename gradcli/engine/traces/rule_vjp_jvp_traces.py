"""Products with the Jacobian of an array rule, recorded as traces of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.sweeps.masked_reverse import enter_leaf
from gradcli.engine.tape.sweeps.reverse_and_forward import reverse_recorded
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import plain_value
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.shared.float_errors import ignored_float_errors


def recorded_product(node: TraceNode, position: int, ct: Any, tangent: Any = None) -> Trace:
    """The vector-Jacobian product of a node's rule for one argument, recorded as a run of its own.

    With a tangent of the argument, the Jacobian-vector product instead: the transpose of the vector-Jacobian product,
    which is linear in the cotangent. The inputs of the run are the recorded arguments by position, the value, the
    cotangent, and the tangent.
    """
    rule = node.rule
    assert isinstance(rule, ArrayRule)
    tape = new_tape()

    def entered(x: Any) -> Any:
        return enter_leaf(tape, np.asarray(x)[()])

    with ignored_float_errors():
        own = {n: entered(node.operands[n]) for n in node.positions}
        value, back = entered(node.value), entered(ct)
        operands = tuple(own.get(n, x) for n, x in enumerate(node.operands))
        product = rule.vjp(position, back, value, operands, node.static)
        forth = [] if tangent is None else [entered(tangent)]
        if forth:
            product = _transposed(tape, np.sum(product * forth[0]), back)
    return Trace(tape, rule, (), (own, value, back, *forth), product)


def _transposed(tape: Tape, product: Any, ct: Any) -> Any:
    """The recorded gradient of `product` by the cotangent."""
    ct_of_ct = reverse_recorded(tape, product.index, np.ones_like(plain_value(product))[()], 0)[ct.index]
    return np.zeros_like(plain_value(ct)) if ct_of_ct is UNTOUCHED else ct_of_ct
