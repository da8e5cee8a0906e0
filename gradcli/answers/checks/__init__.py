"""One check: independent gradients of one function, compared component by component, with an overall verdict."""
