"""Programs with slices whose lengths change from one iteration to the next."""

import numpy as np


def cut_off_at_the_end(x):
    total = 0.0
    for i in range(len(x)):
        total += np.sum(x[i : i + 3] ** 2)
    return total


def ended_before_they_begin(x):
    total = 0.0
    for i in range(len(x)):
        total += np.sum(x[i:3] ** 2) * len(x[i:3])
    return total


def counted(x):
    total = 0.0
    for i in range(1, len(x)):
        part = np.exp(x[:i])
        total += np.sum(part * np.arange(i)) / len(part) + part.size * part[-1] + x[:i].shape[0] * part[i - 1]
    return total


def kept_for_the_way_back(x):
    y = x * 1.0
    for i in range(1, len(x)):
        part = np.tanh(y[:i]) * y[i]
        y[:i] = part * part
    return np.sum(y)


def shrinking(x):
    """The array is computed from itself, by its former length."""
    total = 0.0
    t = x * 2.0
    for _ in range(3):
        t = t[1:] * t[:-1]
        total = total + np.sum(np.sin(t))
    return total


def shifted_and_reversed(x):
    y = np.array(x)
    for k in range(2, len(x)):
        y[1:k] += y[: k - 1] * y[k]
        y[:k] = y[:k][::-1] * 0.5
        y[:k] *= y[k]
        y[:k] /= 2.0 + y[k] ** 2
        y[k] += np.sum(y[k - 1 :: -1] * x[:k])
    return np.sum(y**2)


def filled(x):
    y = np.zeros(len(x))
    for k in range(1, len(x) + 1):
        z = np.zeros(k)
        o = np.ones_like(x[:k]) * 3.0
        z[0] = x[k - 1]
        y[:k] += np.where(x[:k] > 0.3, z + o, z * o) * np.flip(x[:k])
    return np.sum(y * x)


def slices_of_slices(x):
    total = 0.0
    for k in range(1, len(x)):
        total += np.sum(x[:-1][:k] * x[-1]) + np.sum(x[k:][::-1] ** 3) + x[k:][-1] * x[:k][-1]
    return total


def chosen(x):
    total = 0.0
    for k in range(1, len(x)):
        t = x[:k] if x[k] > 0 else -x[:k]
        total += np.sum(t**2 * x[k]) + np.dot(t, x[:k])
    return total


def mean_of_parts(x):
    total = 0.0
    for k in range(1, len(x)):
        total += np.mean(x[:k] * x[k])
    return total


def blocks(a):
    """Two axes of changing length, and products of matrices."""
    total = 0.0
    for k in range(1, a.shape[0]):
        block = a[:k, k:]
        total += np.sum((block.T @ block) ** 2) + np.sum(np.outer(a[:k, 0], a[0, k:]) * block)
        total += np.sum(a[:k, :k] @ a[:k, k]) + np.max(a[:k, 1])
        total += np.sum(np.mean(block, axis=1) ** 2) + np.sum(block * a[:k, 0:1])
    return total


def unpacked_rows(x):
    total = 0.0
    for n in range(1, 4):
        a, b, _, _, _ = np.outer(x, x[:n])
        total += np.sum(np.exp(a)) * b[0]
    return total


def an_input_that_shrinks(x):
    for _ in range(3):
        x = x[:-1] * x[1:]
    return np.sum(x)


def an_input_that_shrinks_and_is_written_into(x):
    for _ in range(3):
        x = x[1:]
        x[0] = x[1] * x[0]
    return np.sum(x) * x[0]


VECTOR = np.array([0.5, -1.0, 2.0, 0.3, 1.2])
PROGRAMS = {
    cut_off_at_the_end: VECTOR,
    ended_before_they_begin: VECTOR,
    counted: VECTOR,
    kept_for_the_way_back: VECTOR,
    shrinking: VECTOR,
    shifted_and_reversed: VECTOR,
    filled: VECTOR,
    slices_of_slices: VECTOR,
    chosen: VECTOR,
    mean_of_parts: VECTOR,
    unpacked_rows: VECTOR,
    an_input_that_shrinks: VECTOR,
    an_input_that_shrinks_and_is_written_into: VECTOR,
    blocks: np.cos(np.arange(25.0) ** 1.3).reshape(5, 5),
}
"""The programs, each with a point."""


def broadcast_once(x):
    """The shorter array is broadcast, but only where its length is 1."""
    total = 0.0
    for k in range(1, 4, 2):
        total += np.sum(x[:k] * x[:3])
    return total


def broadcast_at_last(x):
    """The shorter array is broadcast at the last of its lengths."""
    total = 0.0
    for k in range(3, 0, -2):
        total += np.sum(x[:k] * x[:3])
    return total


def by_steps(x):
    total = 0.0
    for k in range(1, len(x)):
        total += np.sum(x[:k:2] ** 2)
    return total


def of_a_number(x):
    total = 0.0
    for k in range(1, len(x)):
        t = x[:k] if k < 3 else x[:3]
        if x[k] > 0.5:
            t = t[1:]
        total += np.sum(t**2)
    return total


REFUSED = {
    broadcast_once: "which is broadcast at some of its lengths",
    broadcast_at_last: "which is broadcast at some of its lengths",
    by_steps: "x[:k:2], whose length changes",
    of_a_number: "an array whose length the sizes do not decide",
}
