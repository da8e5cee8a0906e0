"""Several independent gradients of one function, compared component by component: a verdict each, and one over all."""

from gradcli.crosscheck.comparing import compare

__all__ = ["compare"]
