"""Several independent gradients of one function, compared component by component: a verdict each, and one over all."""
