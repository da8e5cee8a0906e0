"""Programs of numbers and lists with control flow, each with points on both sides of its branches."""

import math

SCALE = 0.5


def box(a, b, c):
    return 2.0 * (a * b + b * c + c * a)


def overwritten(x, y):
    z = x * y
    z = math.sin(z) + x
    x = z * z
    z = x / y
    return z * x


def newton(a):
    x = a
    for _ in range(6):
        x = 0.5 * (x + a / x)
    return x


def newton_until(a):
    x = a
    steps = 0
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
        steps += 1
        if steps > 50:
            break
    return x * x * x


def piecewise(x, y):
    if x > y:
        r = x * x - y
    elif x > 0:
        r = math.exp(-x) * y
    else:
        r = y / (1.0 + x * x)
    return r * r


def early(x, y):
    if x < 0.0:
        return -x * y
    if y < 0.0:
        return x * math.cos(y)
    z = x + y
    return math.sqrt(z + 1.0)


def horner(x, c):
    p = 0.0
    for k in reversed(range(len(c))):
        p = p * x + c[k]
    return p


def horner_items(x, c):
    p = 0.0
    for a in reversed(c):
        p *= x
        p += a
    return p


def running_maximum(x):
    """A log-sum-exp in one pass, with an updated maximum."""
    m = x[0]
    s = 0.0
    for each in x:
        if each > m:
            s *= math.exp(m - each)
            m = each
        s += math.exp(each - m)
    return m + math.log(s)


def bubble_sort(values):
    items = list(values)
    n = len(items)
    for i in range(n):
        for j in range(n - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    cost = 0.0
    for k, each in enumerate(items):
        cost += (k + 1) * each * each
    return cost


def edit_distance(a, b):
    """The soft cost of turning one series into another: dynamic programming over two rows."""
    previous = [0.0] * (len(b) + 1)
    for j in range(len(b)):
        previous[j + 1] = previous[j] + abs(b[j])
    for i in range(len(a)):
        current = [0.0] * (len(b) + 1)
        current[0] = previous[0] + abs(a[i])
        for j in range(len(b)):
            change = previous[j] + (a[i] - b[j]) ** 2
            insert = current[j] + abs(b[j])
            remove = previous[j + 1] + abs(a[i])
            current[j + 1] = min(change, insert, remove)
        previous = current
    return previous[len(b)]


def bisection(a):
    low, high = 0.0, 1.0 + a
    for _ in range(30):
        middle = 0.5 * (low + high)
        if middle * middle > a:
            high = middle
        else:
            low = middle
    x = 0.5 * (low + high)
    return (x * x - a) ** 2 + a * x


def square(x):
    return x * x


def scaled(x, factor=2.0):
    if x > 1.0:
        return factor * square(x)
    return factor * math.sin(x)


def calls(x, y):
    total = 0.0
    for k in range(3):
        total += scaled(x * (k + 1), y) + SCALE * square(y)
    return total


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return x * half * half


def recursive(x):
    return power(x, 5) + power(math.sin(x), 3)


def collatz_like(x):
    n = 0
    while x > 1.0 and n < 20:
        n += 1
        if n % 3 == 0:
            continue
        x = x / 2.0 if x > 2.0 else x - 0.3 * x * x
    return x * n


def found_in_loop(x, y):
    for k in range(5):
        x = x * 1.5
        if x > y:
            return x * y + k
        y = y + 0.1 * x
    return x - y


def nested_return(x, y):
    for i in range(3):
        for j in range(3):
            x = x + 0.3 * y * (i + 1)
            if x > 4.0:
                return x * x
            if x < -4.0:
                break
        y = y * 1.1
    return x * y


def euler(y0, k):
    y = y0
    t = 0.0
    h = 0.1
    path = [y]
    for _ in range(10):
        y = y + h * (-k * y + math.sin(t))
        t += h
        path.append(y)
    return sum(path) + path[-1] * path[3]


def runge_kutta(x, v, w):
    h = 0.05
    for _ in range(8):
        k1, l1 = v, -w * math.sin(x)
        k2, l2 = v + 0.5 * h * l1, -w * math.sin(x + 0.5 * h * k1)
        k3, l3 = v + 0.5 * h * l2, -w * math.sin(x + 0.5 * h * k2)
        k4, l4 = v + h * l3, -w * math.sin(x + h * k3)
        x = x + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
        v = v + h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0
    return 0.5 * v * v - w * math.cos(x)


def fibonacci(a, b):
    for _ in range(7):
        a, b = b, a * 0.5 + b
    return a * b


def comprehension(x, w):
    z = [a * b for a, b in zip(x, w)]
    big = [a * a for a in z if a > 0.0]
    return sum(big) + sum(math.exp(-a) for a in z)


def matrix_by_loops(x):
    n = 3
    rows = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i == j:
                rows[i][j] = x * (i + 1)
            else:
                rows[i][j] = math.sin(x * i) * j
    total = 0.0
    for i in range(n):
        for j in range(n):
            for k in range(n):
                total += rows[i][k] * rows[k][j]
    return total


def searched(x, y):
    for k in range(4):
        if x > 3.0:
            break
        x = x * y
    else:
        x = x + y * y
    return x * x


def bare_maximum(x, y, z):
    return max(x * y, y * z, z) + min(x, y) ** 2


def negative_powers(x):
    return x**-2 + x**0.5 + x**3 + 2.0**x + x**x


def flagged(x, y):
    done = False
    best = None
    while not done:
        candidate = x * y
        if best is None or candidate < best:
            best = candidate
        x = x - 0.7
        done = x < 0.0
    return best * best + y


def accumulated(x):
    s = 0.0
    for i in range(4):
        s = s + x * s + i
        s -= 0.1 * x
    return s


def by_index(x):
    y = [0.0] * len(x)
    for i in range(len(x)):
        y[i] = x[i] * x[i - 1]
    y[0] += y[1] * x[0]
    y[1] *= x[0]
    for i in range(1, len(x)):
        y[i] -= y[i - 1]
    return y[-1] + y[0] * y[1]


def while_else(x):
    k = 0
    while k < 4:
        x = x * 1.3
        if x > 5.0:
            break
        k += 1
    else:
        x = -x
    return x * x * x + k


def stacked(x, y):
    waiting = [x, y]
    total = 0.0
    while len(waiting) > 0:
        top = waiting.pop()
        total += top * top * x
        if top > 1.0:
            waiting.append(top * 0.5)
    return total


def assigned_to_itself(x, y):
    z = x * y
    if x > 0.0:
        z = z
    return z * z


def last_item(x, y):
    for i in range(3):
        _ = x * i
    return x**i * y


def parameter_bound_again(a, b):
    c = a + b
    for k in range(3):
        if k > 0:
            b = math.sin(a * k)
            a = a * b
    return a * c


def chained(x):
    a = b = x * x
    a = a * b
    c = a = a * x
    return a * b + c


def kept_beside_a_branch(x):
    s = 0.0
    i = 0
    while True:
        if i == 0:
            t = x * x
        else:
            t = t * x
        s += t * t
        i += 1
        if i > 3:
            break
    return s


def set_once(x):
    s = 0.0
    for i in range(2):
        if i == 0:
            t = x * x
        s += t * t
    return s


def one_name_in_loops(a, b):
    """The loop variable is a constant in some loops, and depends on the inputs in others."""
    values = [a, b, 0.5]
    c = a * b
    for t in (0.3, 0.5, 0.7):
        c -= sum(t * t for t in values)
        if t > 0.6:
            t = t * c
            c += t * a
        values = [t * c, 0.5 * c, a]
    for n, t in enumerate((1.5, 2.5)):
        if n == 1:
            break
        c = c * t
    for t in values:
        c += t * t * b
    return c * t


PROGRAMS = {
    one_name_in_loops: [(-0.4, 0.3), (0.7, -0.2)],
    kept_beside_a_branch: [(1.5,)],
    chained: [(1.5,), (-0.5,)],
    set_once: [(1.5,), (-0.5,)],
    parameter_bound_again: [(1.5, 2.0)],
    last_item: [(1.5, 2.0)],
    assigned_to_itself: [(1.0, 2.0), (-1.0, 2.0)],
    box: [(1.0, 2.0, 3.0)],
    overwritten: [(0.7, 1.3), (-1.0, 2.0)],
    newton: [(2.0,), (9.0,)],
    newton_until: [(2.0,), (1.0,), (30.0,)],
    piecewise: [(2.0, 1.0), (0.5, 1.0), (-0.5, 1.0)],
    early: [(1.0, 2.0), (-1.0, 2.0), (1.0, -2.0)],
    horner: [(0.5, [1.0, 2.0, 3.0]), (2.0, [1.0, -1.0])],
    horner_items: [(0.5, [1.0, 2.0, 3.0])],
    running_maximum: [([1.0, 3.0, 2.0, 5.0],), ([4.0, 3.0, 2.0],)],
    bubble_sort: [([3.0, 1.0, 2.0, 0.5],), ([1.0, 2.0],)],
    edit_distance: [([1.0, 2.0, 4.0], [1.5, 3.5]), ([0.1, 5.0], [5.0, 0.2, 0.3])],
    bisection: [(2.0,), (0.3,)],
    calls: [(0.4, 1.5), (2.0, 0.5)],
    recursive: [(1.2,), (-0.5,)],
    collatz_like: [(9.3,), (1.9,), (0.5,)],
    found_in_loop: [(1.0, 2.0), (0.1, 9.0), (3.0, 1.0)],
    nested_return: [(1.0, 0.5), (1.0, 3.0), (-3.0, -2.0)],
    euler: [(1.0, 0.5)],
    runge_kutta: [(0.5, 0.1, 2.0)],
    fibonacci: [(1.0, 2.0)],
    comprehension: [([1.0, -2.0, 3.0], [0.5, 0.7, 0.2])],
    matrix_by_loops: [(0.8,)],
    searched: [(1.1, 1.2), (2.0, 2.0), (4.0, 1.0)],
    bare_maximum: [(1.0, 2.0, 3.0), (3.0, 2.0, 1.0)],
    negative_powers: [(1.7,)],
    flagged: [(2.0, 1.5), (2.0, -1.5)],
    accumulated: [(0.6,)],
    by_index: [([1.0, 2.0, 3.0, 4.0],)],
    while_else: [(1.0,), (4.0,)],
    stacked: [(3.0, 1.5), (0.5, 0.2)],
}
