"""Hand-written gradients: the NumPy calls of both sweeps one for one, and fused versions by a good programmer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Gradient = Callable[..., tuple[Any, ...]]


def rosenbrock() -> Gradient:
    """The valley, call by call."""

    def gradient(x: Any) -> tuple[Any, ...]:
        a, b = x[1:], x[:-1]
        c = b**2
        d = a - c
        e = d**2
        f = 100.0 * e
        g = 1.0 - b
        h = g**2
        k = f + h
        value = np.sum(k)
        ct_k = np.broadcast_to(1.0, k.shape)
        ct_g = ct_k * (2 * g)
        ct_x = np.zeros_like(x)
        ct_x[:-1] += ct_g * -1
        ct_d = ct_k * 100.0 * (2 * d)
        ct_x[1:] += ct_d
        ct_x[:-1] += ct_d * -1 * (2 * b)
        return value, ct_x

    return gradient


def fused_rosenbrock() -> Gradient:
    """The valley as a good programmer would write it."""

    def gradient(x: Any) -> tuple[Any, ...]:
        b = x[:-1]
        d = x[1:] - b * b
        ct_x = np.empty_like(x)
        ct_x[:-1] = -400.0 * d * b - 2.0 * (1.0 - b)
        ct_x[-1] = 0.0
        ct_x[1:] += 200.0 * d
        return (ct_x,)

    return gradient


def perceptron(images: Any, labels: Any) -> Gradient:
    """The perceptron, call by call."""

    def gradient(w1: Any, b1: Any, w2: Any, b2: Any) -> tuple[Any, ...]:
        product = images @ w1
        a = product + b1
        h = np.tanh(a)
        z = h @ w2 + b2
        top = np.max(z, axis=1, keepdims=True)
        e = np.exp(z - top)
        s = np.sum(e, axis=1, keepdims=True)
        total = top + np.log(s)
        d = total - z
        loss = labels * d
        value = np.mean(np.sum(loss, axis=1))
        ct_loss = np.broadcast_to(np.broadcast_to(1 / len(z), len(z))[:, None], loss.shape)
        ct_d = ct_loss * labels
        ct_total = np.sum(ct_d, axis=1, keepdims=True)
        ct_z = ct_d * -1
        ct_shifted = np.broadcast_to(ct_total / s, e.shape) * e
        ct_z += ct_shifted
        ct_top = ct_total + np.sum(ct_shifted, axis=1, keepdims=True) * -1
        chosen = np.equal(z, top)
        ct_z += np.where(chosen, ct_top * (chosen / np.sum(chosen, axis=1, keepdims=True)), 0.0)
        ct_b2 = np.sum(ct_z, axis=0)
        ct_w2 = h.T @ ct_z
        ct_a = ct_z @ w2.T * np.square(1 / np.cosh(a))
        return value, images.T @ ct_a, np.sum(ct_a, axis=0), ct_w2, ct_b2

    return gradient


def mixture(points: Any) -> Gradient:
    """The mixture, call by call."""

    def gradient(alphas: Any, means: Any, logs: Any) -> tuple[Any, ...]:
        centred = points[:, None, :] - means[None]
        scale = np.exp(-logs)
        scaled = centred * scale[None]
        squares = scaled**2
        halves = -0.5 * np.sum(squares, axis=2)
        less = halves - np.sum(logs, axis=1)[None]
        each = less + alphas[None]
        top = np.max(each, axis=1, keepdims=True)
        e = np.exp(each - top)
        s = np.sum(e, axis=1)
        exponentials = np.exp(alphas)
        weights = np.sum(exponentials)
        logarithms = np.log(s) + top[:, 0] - np.log(weights)
        value = np.sum(logarithms)
        ct = np.broadcast_to(1.0, s.shape)
        ct_weights = np.sum(ct) * -1
        ct_alphas = np.broadcast_to(ct_weights / weights, alphas.shape) * exponentials
        ct_each = np.broadcast_to((ct / s)[:, None], e.shape) * e
        ct_top = np.zeros_like(top)
        ct_top[:, 0] += ct
        ct_top += np.sum(ct_each, axis=1, keepdims=True) * -1
        chosen = np.equal(each, top)
        ct_each = ct_each + np.where(chosen, ct_top * (chosen / np.sum(chosen, axis=1, keepdims=True)), 0.0)
        ct_alphas = ct_alphas + np.sum(ct_each, axis=0)
        ct_logs = np.broadcast_to((np.sum(ct_each, axis=0) * -1)[:, None], logs.shape)
        ct_scaled = np.broadcast_to((ct_each * -0.5)[:, :, None], squares.shape) * (2 * scaled)
        ct_scale = np.sum(ct_scaled * centred, axis=0)
        ct_means = np.sum(ct_scaled * scale[None], axis=0) * -1
        return value, ct_alphas, ct_means, ct_logs + ct_scale * scale * -1

    return gradient


def logistic(features: Any, signs: Any) -> Gradient:
    """Logistic regression, call by call."""

    def gradient(w: Any) -> tuple[Any, ...]:
        negated = -signs
        margins = features @ w
        e = np.exp(negated * margins)
        value = np.mean(np.log1p(e)) + 0.01 * np.sum(w**2)
        ct_logs = np.broadcast_to(1 / len(e), e.shape)
        ct_margins = ct_logs / (1 + e) * e * negated
        ct_w = np.broadcast_to(0.01, w.shape) * (2 * w)
        ct_w += features.T @ ct_margins
        return value, ct_w

    return gradient


def recurrent(inputs: Any, start: Any) -> Gradient:
    """The recurrent cell, call by call."""

    def gradient(w_in: Any, w: Any, b: Any) -> tuple[Any, ...]:
        states, sums = [start], []
        for x in inputs:
            sums.append(x @ w_in + states[-1] @ w + b)
            states.append(np.tanh(sums[-1]))
        h = states[-1]
        squares = h * h
        value = np.sum(squares)
        ones = np.broadcast_to(1.0, squares.shape)
        ct_h = ones * h
        ct_h += ones * h
        ct_in, ct_w, ct_b = np.zeros_like(w_in), np.zeros_like(w), np.zeros_like(b)
        for x, before, a in zip(inputs[::-1], states[-2::-1], sums[::-1], strict=True):
            ct_a = ct_h * np.square(1 / np.cosh(a))
            ct_b += np.sum(ct_a, axis=0)
            ct_h = ct_a @ w.T
            ct_w += before.T @ ct_a
            ct_in += x.T @ ct_a
        return value, ct_in, ct_w, ct_b

    return gradient


def fill(steps: int) -> Gradient:
    """The trajectory, call by call; a row that is overwritten is copied where it was read."""

    def gradient(start: Any) -> tuple[Any, ...]:
        u = np.zeros((steps, len(start)))
        u[0] = start
        rows = []
        for t in range(1, steps):
            before, again = u[t - 1].copy(), u[t - 1].copy()
            u[t] = before + 0.01 * np.sin(again)
            rows.append(again)
        value = np.sum(u**2)
        ct = np.broadcast_to(1.0, u.shape) * (2 * u)
        for t in range(steps - 1, 0, -1):
            ct_row = ct[t].copy()
            ct[t] = 0.0
            ct[t - 1] += ct_row * 0.01 * np.cos(rows[t - 1])
            ct[t - 1] += ct_row
        return value, ct[0].copy()

    return gradient


def f4() -> Gradient:
    """The hypersurface of a box, whose products are shared."""

    def gradient(sides: Any) -> tuple[Any, ...]:
        a, b, c, d = sides
        ab, cd = a * b, c * d
        both, other = a + b, c + d
        return ([2.0 * (b * other + cd), 2.0 * (a * other + cd), 2.0 * (ab + both * d), 2.0 * (ab + both * c)],)

    return gradient


def horner() -> Gradient:
    """Horner's method on elements: the partial products forwards, their sums backwards."""

    def gradient(x: Any) -> tuple[Any, ...]:
        argument, value = x[0], x[1]
        values = []
        for n in range(2, len(x)):
            values.append(value)
            value = value * argument + x[n]
        ct_x = np.zeros_like(x)
        ct, ct_argument = 1.0, 0.0
        for n in range(len(x) - 1, 1, -1):
            ct_x[n] = ct
            ct_argument += ct * values[n - 2]
            ct *= argument
        ct_x[0], ct_x[1] = ct_argument, ct
        return value, ct_x

    return gradient
