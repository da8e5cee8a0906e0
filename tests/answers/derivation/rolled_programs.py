"""Programs whose recorded runs have many equal bodies, and some whose bodies differ."""

import math

import numpy as np

TURNS = 12


class Times:
    """Hides the number of iterations from the reader of the source."""

    count = TURNS


def newton(a):
    """Newton's iteration, a fixed number of times."""
    x = a
    for _ in range(Times.count):
        x = 0.5 * (x + a / x)
    return x


def horner(x, c):
    """A polynomial whose coefficients are list items read by index."""
    p = 0.0
    for k in range(len(c)):
        p = p * x + c[k]
    return p


def oscillator(q, p):
    """An integrator of a differential equation."""
    for _ in range(Times.count):
        p = p - 0.05 * math.sin(q)
        q = q + 0.05 * p
    return p * q


def running(x):
    """Running sums, one by one."""
    total = 0.0
    for each in x:
        total = total + each
        yield total


def cumulative(x):
    """A cumulative sum by a generator, which `derive` cannot read from source."""
    return sum(each * each for each in running(x))


def recurrence(a, b):
    """Two carried values that exchange places."""
    x, y = a, b
    for _ in range(Times.count):
        x, y = y, 0.3 * y + 0.5 * x * b
    return x * y


def windows(x):
    """Neighbours in an array, and the index of the iteration."""
    s = 0.0
    for k in range(1, len(x) - 1):
        s = s + k * (x[k + 1] - 2.0 * x[k] + x[k - 1]) ** 2
    return s


def recurrent(h, x):
    """A carried array, and rows."""
    for row in x:
        h = np.tanh(0.5 * h + row)
    return np.sum(h)


def guarded(a):
    """A loop with a condition in every iteration."""
    x = a
    for _ in range(Times.count):
        x = 0.9 * x if x > 1.0 else 1.5 * x
    return x


def jumping(x):
    """Reads at places without a fixed step."""
    s = 1.0
    for k in range(len(x)):
        s = s * x[k * k % len(x)]
    return s


def driven(y):
    """A constant of the run that differs in every iteration."""
    for k in range(Times.count):
        y = y + 0.1 * math.sin(0.1 * k)
    return y * y


def kept(x):
    """All values are read after the loop."""
    found = []
    for k in range(Times.count):
        x = math.sin(x) + 1.0
        found.append(x)
    return sum(each * found[-1 - n * n % Times.count] for n, each in enumerate(found))


ROLLED = (newton, horner, oscillator, cumulative, recurrence, windows, recurrent)
UNROLLED = (guarded, jumping, driven, kept)


def point(function, count):
    """The point at which a program is derived, with a given number of iterations."""
    Times.count = count
    numbers = [0.3 + 0.1 * (k * k % 7) for k in range(count)]
    return {
        newton: (2.0,),
        horner: (0.9, numbers),
        oscillator: (1.0, 0.5),
        cumulative: (np.array(numbers),),
        recurrence: (1.0, 0.7),
        windows: (np.array(numbers),),
        recurrent: (np.array([0.1, 0.2]), np.array([numbers, numbers[::-1]]).T),
        guarded: (0.5,),
        jumping: (np.array(numbers),),
        driven: (0.4,),
        kept: (0.4,),
    }[function]
