"""Programs that use much of the language: loops with exits, recursion, closures, comprehensions, slices, masks."""

import math
from math import sin

import numpy as np

GRAVITY = 9.81
WEIGHTS = [0.5, 1.5, -0.25]
MATRIX = np.array([[1.0, 0.5, 0.2], [0.3, -1.0, 0.7], [1.5, 2.0, 0.1]])
TABLE = {"a": 1.5, "b": -0.5}


def a(*numbers):
    return np.array(numbers)


def return_from_nested_loops(x, y):
    for i in range(4):
        for j in range(4):
            if x * i + y * j > 3.0:
                return x**2 * i + y * j
            if x - j < -10.0:
                break
        x = x + 0.1 * y
    return x * y


def while_with_break_and_continue(x):
    n, total = 0, 0.0
    while True:
        n += 1
        if n > 12:
            break
        if n % 3 == 0:
            continue
        total += x**n / n
        if total > 5.0:
            break
    return total * x


def two_calls_of_itself(x, n=4):
    if n <= 1:
        return x * n + 0.5
    return two_calls_of_itself(x, n - 1) * 0.5 + sin(x) * two_calls_of_itself(x * 0.9, n - 2)


def augmented_items(xs):
    ys = [0.0] * len(xs)
    for i, x in enumerate(xs):
        ys[i] += x * x
        ys[-1] -= 0.1 * x
        ys[0] *= 1.5
        ys[i] /= 2.0
    return sum(ys)


def masked_by_index(x):
    y = x[x > 0.0]
    return np.sum(y**2) + np.sum(x)


def masked_store(x):
    y = x * 2.0
    y[y < 0.0] = 0.0
    return np.sum(y**2)


def with_default_arguments(x):
    def scaled(value, factor=3.0, power=2):
        return factor * value**power

    return scaled(x) + scaled(x, 2.0) + scaled(x, power=3)


def affine(x, slope=1.0, offset=0.0):
    return slope * x + offset


def with_keyword_arguments(x, y):
    return affine(offset=x * y, slope=y, x=x) * affine(x, offset=2.0)


def nested_function(x, y):
    scale = y * 2.0

    def inner(t):
        return scale * t * t

    total = inner(x)
    scale = scale + 1.0
    return total + inner(y)


def nested_functions_that_call(x):
    def one(t):
        return t * x

    def other(t, k=2):
        value = t
        for _ in range(k):
            value = one(value) + 0.5
        return value

    return other(1.5) + other(x, 3)


def named_lambdas(x, y):
    square = lambda t: t * t
    mixed = lambda p, q: p * square(q) + y
    return mixed(x, y) * square(x)


def global_constants(t):
    return 0.5 * GRAVITY * t**2 + WEIGHTS[0] * t + sum(WEIGHTS) * math.pi


def comprehension_with_condition(xs):
    squares = [x * x for x in xs if x > 0.0]
    return sum(squares) + len(squares)


def nested_comprehension(xs):
    table = [[x * y for y in xs] for x in xs]
    return table[0][-1] + sum(row[0] for row in table)


def generator_with_condition(xs, w):
    return sum(p * q for p, q in zip(xs, w) if p * q > 0.0)


def zipped_enumerated_reversed(xs, ys):
    total = 0.0
    for k, (p, q) in enumerate(zip(xs, reversed(ys)), start=1):
        total += k * p * q
    for p in reversed(xs):
        total = total * 0.9 + p
    return total


def string_switch(x, kind="sin"):
    if kind == "sin":
        return math.sin(x)
    if kind == "exp":
        return math.exp(x)
    return x


def global_dict(x):
    return TABLE["a"] * x + TABLE["b"] * x * x


def integer_arithmetic(x, n=7):
    total = 0.0
    while n > 0:
        if n & 1:
            total += x ** (n // 2 + 1)
        n >>= 1
    return total + (7 % 4) * x


def chained_comparisons(x):
    if 0.0 < x < 1.0:
        return x * x
    if 1.0 <= x <= 2.0 or x == 5.0:
        return 2.0 * x - 1.0
    return not_negative(x) ** 1.5


def not_negative(x):
    return x if x > 0.0 else -x * 0.5


def conditional_expressions(x, y):
    u = x if x > y else y if y > 0.0 else 2.0
    return (u * x if u > 1.0 else u + x) * (1.0 if x < 0.0 else y)


def extremes(xs, y):
    top = max(xs)
    low = min(xs)
    return top * low + max(xs[0], y, 0.5) - min(y, xs[-1])


def exact_sum(xs):
    return math.fsum(x**3 for x in xs) + math.fsum(xs)


def product_of_a_list(xs):
    return math.prod(xs) + math.hypot(xs[0], xs[1]) + math.dist(xs, [0.5] * len(xs))


def written_in_place(x):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] ** 2
    y[1:] += y[:-1] * 0.1
    return y[-1] * np.sum(y)


def written_matrix(x):
    n = x.shape[0]
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i <= j:
                out[i, j] = x[i] * x[j]
            else:
                out[i][j] = np.sin(x[i] - x[j])
    return np.sum(out @ x)


def counted_in_an_array(x):
    counts = np.zeros(2, dtype=int)
    for value in x:
        counts[int(value > 0.0)] += 1
    return np.sum(x**2) * counts[1] + counts[0]


def sorted_by_insertion(x):
    y = x.copy()
    for i in range(1, len(y)):
        j = i
        while j > 0 and y[j - 1] > y[j]:
            y[j - 1], y[j] = y[j], y[j - 1]
            j -= 1
    return y[0] * 3.0 + y[-1] ** 2


def simulated_annealing_schedule(t0, rate):
    t, cost, k = t0, 0.0, 0
    while t > 0.1 and k < 50:
        cost += math.log(1.0 + t) * (1 if k % 2 else -1)
        t *= rate
        k += 1
    return cost


def continued_fraction(x):
    value = x
    for n in range(6, 0, -1):
        value = n / (x + value)
    return value


def lists_of_lists(x):
    grid = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            grid[i][j] = x[i] * x[j] + (grid[i - 1][j] if i > 0 else 0.0)
    return sum(sum(row) for row in grid)


def appended_and_popped(xs):
    stack = []
    for x in xs:
        stack.append(x * x)
        if len(stack) > 1 and stack[-1] < stack[-2]:
            top = stack.pop()
            stack[-1] += 0.5 * top
    return stack[0] * len(stack) + stack[-1]


def unpacked_with_a_star(xs):
    first, *rest = xs
    return first * sum(rest)


def ignored_result(x):
    print_nothing(x)
    total = x * x
    assert total >= 0.0
    return total


def print_nothing(x):
    return x


def shadowed(x):
    x = x * 2.0
    y = x
    x = y * x
    return x - y


def early_in_while_in_for(x):
    for k in range(3):
        y = x + k
        while y < 6.0:
            y = y * 1.5
            if y > 4.5 and k == 1:
                return y * x
        x = x + 0.3 * y
    return x


def logical(x, y):
    flag = x > 1.0 and (y > 1.0 or x * y < 0.5)
    other = not flag
    total = x * y
    if flag:
        total *= 2.0
    if other and y < 0.0:
        total -= x
    return total


def sorted_values(x):
    return np.sum(np.sort(x) * np.arange(1.0, len(x) + 1.0))


def contracted(m, x):
    return np.einsum("ij,j->", m, x) + np.sum(np.einsum("ij,jk->ik", m, m))


def cumulative_products(x):
    return np.sum(np.cumprod(x)) + np.prod(x) + np.sum(np.cumsum(x * x))


def spread_of_values(x):
    return np.std(x) + np.var(x, ddof=1) + np.median(x)


def factorised(m):
    s = m @ m.T + 2.0 * np.eye(m.shape[0])
    c = np.linalg.cholesky(s)
    _, log = np.linalg.slogdet(s)
    return np.sum(c) + log + np.sum(np.linalg.inv(s)) + np.linalg.det(s)


def joined_arrays(x, y):
    z = np.concatenate([x, y, x[:1] * y[:1]])
    s = np.vstack([x, x * 2.0])
    m = np.hstack([s, np.outer(y, x), np.concatenate((s, s), axis=-1)])
    return np.sum(z**2) + np.sum(s[1] * x) + np.sum(np.hstack((y, x)) ** 3) + np.sum(m**2)


def repeated_values(x):
    return np.sum(np.tile(x, 2) * np.repeat(x, 2)) + np.sum(np.outer(x, x) * np.tril(np.ones((len(x), len(x)))))


def eigenvalues(m):
    values, vectors = np.linalg.eigh(m + m.T)
    return values[-1] * vectors[0, 0] ** 2


def scattered(x):
    y = np.zeros(2)
    np.add.at(y, np.arange(len(x)) % 2, x**2)
    return y[0] * y[1]


def permuted(x):
    order = np.argsort(x)
    y = np.zeros(len(x))
    y[order] = x * np.arange(1.0, len(x) + 1.0)
    y[order[:2]] += x[:2]
    y[[0, 1]] *= x[2]
    return np.sum(y**2) + y[0]


def of_slope_one(x, y):
    return x % 1.0 + 0.0 * y


def bound_to_another_kind(x):
    y = x[1:] * 2.0
    x = x[0]
    y = np.sum(y) * x
    return y * y


def multiplied_lists(xs, y):
    ys = [y, y * y] * 2 + xs
    return sum(y * k for k, y in enumerate(ys))


def multiplied_from_the_left(xs, y):
    ys = 3 * [y, y * y]
    ys[3] *= xs[0]
    return sum(y * k for k, y in enumerate(ys)) * ys[3]


def listed_array(x):
    ys = list(x[::2]) + [1.0]
    ys[0] *= 2.0
    return sum(ys) * ys[0]


class Spring:
    """A spring with a stiffness, which counts its calls."""

    def __init__(self, stiffness):
        self.stiffness = stiffness
        self.calls = 0

    def force(self, x):
        self.calls += 1
        return -self.stiffness * x + 0.1 * x**3

    def energy(self, x, *args):
        self.calls += 1
        total = 0.5 * self.stiffness * x**2
        for _ in range(2):
            total += self.force(x) * 0.1
        return total

    @property
    def scale(self):
        return self.stiffness * 2.0

    def scaled(self, x):
        return self.scale * x * x


SPRING = Spring(3.0)
VECTORS = [(a(1.5, -0.5, 2.0),), (a(0.3, 0.9, -1.2, 0.7),)]
MATRICES = [(a(1.5, -0.5, 0.3, 2.0).reshape(2, 2),), (np.array([[0.3, 0.9, -1.2], [0.7, 1.1, 0.2], [0.1, 0.5, 2.0]]),)]
PROGRAMS = {
    of_slope_one: [(1.3, 2.0)],
    bound_to_another_kind: VECTORS,
    multiplied_lists: [([1.0, 2.0], 0.5)],
    multiplied_from_the_left: [([1.0, 2.0], 0.5)],
    listed_array: VECTORS,
    return_from_nested_loops: [(1.0, 0.8), (0.1, 0.1), (-11.0, 0.5)],
    while_with_break_and_continue: [(0.7,), (2.5,), (-0.8,)],
    two_calls_of_itself: [(0.6,), (-1.2,)],
    augmented_items: [([1.0, 2.0, -1.0],), ([0.5, 3.0],)],
    masked_by_index: VECTORS,
    masked_store: VECTORS,
    with_default_arguments: [(1.2,), (-0.7,)],
    with_keyword_arguments: [(1.2, 0.4)],
    nested_function: [(1.2, 0.4)],
    nested_functions_that_call: [(1.2,), (-0.4,)],
    named_lambdas: [(1.2, 0.4)],
    global_constants: [(1.2,)],
    comprehension_with_condition: [([1.0, -2.0, 0.5],), ([-1.0, -2.0, 3.0],)],
    nested_comprehension: [([1.0, -2.0, 0.5],)],
    generator_with_condition: [([1.0, -2.0, 0.5], [2.0, 1.0, 1.5])],
    zipped_enumerated_reversed: [([1.0, -2.0, 0.5], [2.0, 1.0, 1.5])],
    string_switch: [(0.7,)],
    global_dict: [(0.7,)],
    integer_arithmetic: [(0.7,)],
    chained_comparisons: [(0.5,), (1.5,), (3.0,), (-2.0,)],
    conditional_expressions: [(1.5, 0.5), (-1.5, 0.5), (-1.0, -2.0), (-3.0, 1.5)],
    extremes: [([1.0, -2.0, 0.7], 0.6), ([1.0, 2.0, 3.0], -2.0)],
    exact_sum: [([1.0, -2.0, 0.5],)],
    product_of_a_list: [([1.0, -2.0, 0.7],)],
    written_in_place: VECTORS,
    written_matrix: VECTORS,
    counted_in_an_array: VECTORS,
    sorted_by_insertion: VECTORS,
    simulated_annealing_schedule: [(2.0, 0.8), (0.05, 0.8)],
    continued_fraction: [(1.3,)],
    lists_of_lists: [([1.0, -2.0, 0.5],)],
    appended_and_popped: [([1.0, 2.0, 1.5, 0.5],), ([3.0, 1.0, 2.0],)],
    unpacked_with_a_star: [([1.0, 2.0, 1.5],)],
    ignored_result: [(1.3,)],
    shadowed: [(1.3,)],
    early_in_while_in_for: [(1.0,), (5.0,), (2.0,)],
    logical: [(2.0, 1.5), (2.0, 0.1), (0.5, -1.0), (0.5, 1.0)],
    sorted_values: VECTORS,
    eigenvalues: MATRICES,
    scattered: VECTORS,
    permuted: VECTORS,
    contracted: [(MATRICES[0][0], a(1.0, 2.0))],
    cumulative_products: VECTORS,
    spread_of_values: VECTORS,
    factorised: MATRICES,
    joined_arrays: [(a(1.0, 2.0), a(0.5, -1.0))],
    repeated_values: VECTORS,
    SPRING.force: [(1.3,)],
    SPRING.energy: [(1.3,)],
    SPRING.scaled: [(1.3,)],
}
