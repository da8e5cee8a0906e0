"""Pairs by name, comments, and a false pair."""

import math


def area(x, y):
    return x**2 * math.sin(y)


# gradcli: --at 1,2 --box x=0:1 --points 3
def grad_area(x, y):
    return 2 * x * math.sin(y), x**2 * math.cos(y)


def root(x):
    return math.sqrt(x)


def root_der(x):
    return 0.5 / math.sqrt(x)


def hinge(x):
    return max(x, 0.0)


def hinge_grad(x):
    return 1.0 if x > 0 else 0.0


# gradcli: --at 2 --target cube
def slope_of_cube(x):
    return 3 * x**2


def cube(x):
    return x**3


# gradcli: --at 2,3
def own(x, y):
    return x * y + math.exp(x)


def lonely(x, y):
    return x + y


def lonely_grad(x, y):
    return 1.0, 1.0


def parabola(x):
    return x**2


def parabola_prime(x):
    return 2 * x


def parabola_slip(x):
    return 2.0


# gradcli: --at=-1.5 --of gradient
def quartic(x):
    return x**4


def quartic_der(x):
    return 4 * x**3
