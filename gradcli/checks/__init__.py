"""One check: several independent gradients of one function, compared component by component, and a verdict over all."""
