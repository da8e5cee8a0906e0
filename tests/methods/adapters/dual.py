"""A library of numbers with a derivative beside them, as a package would bring it, and its adapter for gradcli."""

import math

from gradcli.methods.adapters.adapted_object import AdaptedObject, BroughtDerivative, of_plain_numbers, with_parameters


class Dual:
    """A number and its derivative."""

    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)


def sin(x):
    return Dual(math.sin(x.value), math.cos(x.value) * x.slope)


def wrong_sin(x):
    return Dual(math.sin(x.value), -math.cos(x.value) * x.slope)


class DualFunction:
    """A function of one of these numbers."""

    def __init__(self, function):
        self.function = function


def adapted(thing):
    if not isinstance(thing, DualFunction):
        return None
    value = with_parameters(of_plain_numbers("dual", lambda x: thing.function(Dual(x)).value), ["x"])
    gradient = with_parameters(lambda x: thing.function(Dual(x, 1.0)).slope, ["x"])
    return AdaptedObject(value, {"gradient": BroughtDerivative("slope", gradient)}, thing.function, "it is a dual")
