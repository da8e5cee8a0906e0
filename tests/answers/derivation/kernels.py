"""Kernels of numerical benchmarks as people write them with NumPy: stencils, factorisations, products, small models.

Those that write into their arguments and return nothing are called by a function that returns a number.
"""

import numpy as np


def numbers(*shape, shift=0.0):
    """Some numbers between -1 and 1."""
    count = int(np.prod(shape))
    return np.cos(1.7 * np.arange(1.0, count + 1.0) ** 1.5 + shift).reshape(shape)


def positive_definite(n):
    a = numbers(n, n)
    return a @ a.T + n * np.eye(n)


def jacobi_2d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def seidel_2d(steps, n, a):
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1]
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0


def conducted(old):
    return (
        0.125 * (old[2:, 1:-1, 1:-1] - 2.0 * old[1:-1, 1:-1, 1:-1] + old[:-2, 1:-1, 1:-1])
        + 0.125 * (old[1:-1, 2:, 1:-1] - 2.0 * old[1:-1, 1:-1, 1:-1] + old[1:-1, :-2, 1:-1])
        + 0.125 * (old[1:-1, 1:-1, 2:] - 2.0 * old[1:-1, 1:-1, 1:-1] + old[1:-1, 1:-1, :-2])
        + old[1:-1, 1:-1, 1:-1]
    )


def heat_3d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1, 1:-1, 1:-1] = conducted(a)
        a[1:-1, 1:-1, 1:-1] = conducted(b)


def fdtd_2d(steps, ex, ey, hz, forcing):
    for t in range(steps):
        ey[0, :] = forcing[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x


def cholesky(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def lu(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def ludcmp(a, b):
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    lu(a)
    for i in range(a.shape[0]):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(a.shape[0] - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x, y


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def trmm(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


def symm(alpha, beta, c, a, b):
    column = np.empty((c.shape[1],), dtype=c.dtype)
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            column[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * column


def covariance(m, count, data):
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((m, m), dtype=data.dtype)
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (count - 1.0)
    return cov


def correlation(m, count, data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(count) * stddev
    corr = np.eye(m, dtype=data.dtype)
    for i in range(m - 1):
        corr[i + 1 : m, i] = corr[i, i + 1 : m] = data[:, i] @ data[:, i + 1 : m]
    return corr


def gramschmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        norm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(norm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


def softmax(x):
    largest = np.max(x, axis=-1, keepdims=True)
    out = np.exp(x - largest)
    total = np.sum(out, axis=-1, keepdims=True)
    return out / total


def relu(x):
    return np.maximum(x, 0)


def perceptron(inputs, w1, b1, w2, b2, w3, b3):
    x = relu(inputs @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)


def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def conv2d(image, weights):
    k = weights.shape[0]
    height, width = image.shape[0] - k + 1, image.shape[1] - k + 1
    output = np.empty((height, width, weights.shape[3]))
    for i in range(height):
        for j in range(width):
            output[i, j, :] = np.sum(image[i : i + k, j : j + k, :, np.newaxis] * weights[:, :, :, :], axis=(0, 1, 2))
    return output


def accelerations(pos, mass, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = (dx**2 + dy**2 + dz**2 + softening**2) ** (-1.5)
    return np.hstack(((dx * inv_r3) @ mass, (dy * inv_r3) @ mass, (dz * inv_r3) @ mass))


def nbody(mass, pos, vel, steps, dt, softening):
    acc = accelerations(pos, mass, softening)
    for _ in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = accelerations(pos, mass, softening)
        vel += acc * dt / 2.0
    return 0.5 * np.sum(mass * vel**2)


def compute(array_1, array_2, a, b, c):
    return np.clip(array_1, 2, 10) * a + array_2 * b + c


def cavity_pressure(b, rho, dt, u, v, dx, dy):
    b[1:-1, 1:-1] = rho * (
        1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
        - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
        - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
    )


def cavity_flow(steps, u, v, dt, dx, dy, p, rho, nu):
    b = np.zeros_like(u)
    for _ in range(steps):
        un = u.copy()
        cavity_pressure(b, rho, dt, u, v, dx, dy)
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, 0:-2]) + (pn[2:, 1:-1] + pn[0:-2, 1:-1])) / 4 - b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + nu * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
        )
        u[-1, :] = 1
        v[:, 0] = 0


# The functions of one number, and a point for each.


def of_jacobi_2d(a, b):
    jacobi_2d(3, a, b)
    return np.sum(a**2)


def of_seidel_2d(a):
    seidel_2d(3, a.shape[0], a)
    return np.sum(a**2)


def of_heat_3d(a, b):
    heat_3d(3, a, b)
    return np.sum(a**2)


def of_fdtd_2d(ex, ey, hz, forcing):
    fdtd_2d(3, ex, ey, hz, forcing)
    return np.sum(hz**2)


def of_gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z)
    return np.sum(w**2)


def of_cholesky(a):
    cholesky(a)
    return np.sum(np.tril(a) ** 3)


def of_ludcmp(a, b):
    x, y = ludcmp(a, b)
    return np.sum(x**2) + np.sum(y)


def of_durbin(r):
    return np.sum(durbin(r) ** 2)


def of_trmm(alpha, a, b):
    trmm(alpha, a, b)
    return np.sum(b**2)


def of_symm(alpha, beta, c, a, b):
    symm(alpha, beta, c, a, b)
    return np.sum(c**2)


def of_covariance(data):
    return np.sum(covariance(data.shape[1], data.shape[0], data) ** 2)


def of_correlation(data):
    return np.sum(correlation(data.shape[1], data.shape[0], data) ** 3)


def of_gramschmidt(a):
    q, r = gramschmidt(a)
    return np.sum(q**3) + np.sum(r**2)


def of_perceptron(x, w1, b1, w2, b2, w3, b3):
    return np.sum(perceptron(x, w1, b1, w2, b2, w3, b3) ** 2)


def of_go_fast(a):
    return np.sum(go_fast(a) ** 2)


def of_conv2d(image, weights):
    return np.sum(conv2d(image, weights) ** 2)


def of_nbody(mass, pos, vel):
    return nbody(mass, pos, vel, 2, 0.1, 0.3)


def of_compute(x, y, a, b, c):
    return np.sum(compute(x, y, a, b, c))


def of_cavity_flow(u, v, p):
    cavity_flow(2, u, v, 0.1, 0.5, 0.5, p, 1.0, 0.1)
    return np.sum(u**2) + np.sum(p**2)


def square(n):
    return numbers(n, n)


KERNELS = {
    of_jacobi_2d: [square(5), numbers(5, 5, shift=1.0)],
    of_seidel_2d: [square(5)],
    of_heat_3d: [numbers(4, 4, 4), numbers(4, 4, 4, shift=1.0)],
    of_fdtd_2d: [square(4), numbers(4, 4, shift=1.0), numbers(4, 4, shift=2.0), numbers(3)],
    of_gemver: [1.5, 0.7, square(3), *(numbers(3, shift=1.0 * k) for k in range(8))],
    of_cholesky: [positive_definite(4)],
    of_ludcmp: [positive_definite(4), numbers(4)],
    of_durbin: [0.3 * numbers(5)],
    of_trmm: [1.5, square(3), numbers(3, 2)],
    of_symm: [1.5, 0.7, numbers(3, 2), square(3), numbers(3, 2, shift=1.0)],
    of_covariance: [numbers(5, 3)],
    of_correlation: [numbers(5, 3)],
    of_gramschmidt: [numbers(4, 3)],
    of_perceptron: [
        numbers(2, 3), numbers(3, 4), numbers(4), numbers(4, 4), numbers(4, shift=1.0), numbers(4, 2), numbers(2),
    ],
    of_go_fast: [square(4)],
    of_conv2d: [numbers(4, 4, 2), numbers(2, 2, 2, 3)],
    of_nbody: [1.0 + numbers(3, 1) ** 2, numbers(3, 3), numbers(3, 3, shift=1.0)],
    of_compute: [3.0 + numbers(4), numbers(4, shift=1.0), 1.5, 0.7, 0.2],
    of_cavity_flow: [square(5), numbers(5, 5, shift=1.0), numbers(5, 5, shift=2.0)],
}  # fmt: skip
"""The kernels, each with a point."""
