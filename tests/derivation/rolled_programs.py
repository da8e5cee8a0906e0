"""Programs whose recorded runs have many equal bodies, and some whose bodies differ."""

from __future__ import annotations

import math

import numpy as np

TURNS = 12


class Times:
    """Hides how often a loop runs from who reads the source."""

    count = TURNS


def newton(a):
    """By a fixed count."""
    x = a
    for _ in range(Times.count):
        x = 0.5 * (x + a / x)
    return x


def horner(x, c):
    """A list read by index."""
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
    """The sums so far, one by one."""
    total = 0.0
    for each in x:
        total = total + each
        yield total


def cumulative(x):
    """A cumulative sum by a generator, which the source is not derived of."""
    return sum(each * each for each in running(x))


def recurrence(a, b):
    """Two values carried on, each of which takes the place of the other."""
    x, y = a, b
    for _ in range(Times.count):
        x, y = y, 0.3 * y + 0.5 * x * b
    return x * y


def windows(x):
    """Neighbours in an array, and the number of the turn."""
    s = 0.0
    for k in range(1, len(x) - 1):
        s = s + k * (x[k + 1] - 2.0 * x[k] + x[k - 1]) ** 2
    return s


def recurrent(h, x):
    """An array carried on, and rows."""
    for row in x:
        h = np.tanh(0.5 * h + row)
    return np.sum(h)


def guarded(a):
    """Each turn asks."""
    x = a
    for _ in range(Times.count):
        x = 0.9 * x if x > 1.0 else 1.5 * x
    return x


def jumping(x):
    """The places that are read are no steps apart."""
    s = 1.0
    for k in range(len(x)):
        s = s * x[k * k % len(x)]
    return s


def driven(y):
    """A number that the run has from elsewhere differs at each turn."""
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
    """Where a program is derived, with a loop of so many turns."""
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
