"""What goes wrong: code that raises, hangs, crashes."""

import math
import os
import time

import numpy as np


def fine(x):
    return x * x


def raising(x):
    raise KeyError("no such parameter")


def hanging(x):
    while True:
        pass


def crashing(x):
    print("about to crash")
    os.abort()


def log(x):
    return math.log(x)


def log_grad(x):
    return 1 / x


def nan_gradient(x):
    return float("nan")


def closing(x):
    os.close(1)
    os.close(2)
    return x


def interrupting(x):
    raise KeyboardInterrupt


def clock(x):
    return x * (1.0 + time.perf_counter_ns() % 1000)


def np_log(x):
    return np.log(x)


def noisy(x):
    return math.floor(1e3 * x) / 1e3


def noisy_grad(x):
    return 1.0


def waiting(x):
    time.sleep(20)
    return x
