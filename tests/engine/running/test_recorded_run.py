"""Plain Python runs as it stands: what people write."""

import bisect
import collections
import dataclasses
import functools
import heapq
import itertools
import math
import operator
import queue

import pytest

from gradcli import grad, jacobian, trace, value_and_grad
from gradcli.engine.running.program_state import settle
from gradcli.engine.tape.tape import active_tape
from gradcli.errors import UserCodeError

PROGRAMS = []
SCALE = 3.0
TABLE = [1.0, 4.0, 9.0, 16.0]


def program(*point, gradient):
    """Add a program with its point and its gradient there, worked out by hand."""
    return lambda f: PROGRAMS.append(pytest.param(f, point, gradient, id=f.__name__)) or f


@program(1.5, gradient=[5 * 1.5**4 + 3 * 1.5**2 * 1 + 2 * 1.5 * 2 + 3])
def loop(x):
    y = 1.0
    for k in range(5):
        y = y * x + (k if k else 0)
    return y


@program(9.0, gradient=[1 / 6])
def newton(x):
    """A loop whose length depends on the value."""
    guess = x
    while abs(guess * guess - x) > 1e-12:
        guess = (guess + x / guess) / 2
    return guess


@program(2.0, gradient=[4.0])
def branches(x):
    """Branches, with and, or, not, chained comparisons and a conditional expression."""
    if x > 1 and not x < 0:
        return x * x if 1 < x <= 3 or x == 7 else -x
    if x == 1:
        return 0.0
    return -x


@program(1.5, gradient=[6 * 1.5**5])
def recursion(x):
    """A function that calls itself."""

    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)

    return power(6)


@program(1.5, 2.5, gradient=[2.5 * 6, 1.5 * 6])
def closures(x, y):
    return sum(f(y) for f in [lambda t, k=k: t * k * x for k in range(4)])


@program(2.0, 3.0, gradient=[3 * (1 + 4) + 1 + 3, 7 + 3 * 9 + 2 - 2])
def generators(x, y):
    """A generator, and the built-in functions."""

    def terms():
        for k in range(3):
            yield x**k * y

    return (
        sum(terms())
        + max([x, y, x * y]) * 0
        + max(x, 2.5 * x - 3) * 0
        + pow(y, 3)
        + x * y
        + min(x, y)
        - min([2 * y - 3])
    )


@program(3.0, 1.0, 2.0, gradient=[100.0, 1.0, 10.0])
def in_order(x, y, z):
    a = sorted([x, y, z])
    return a[0] + a[1] * 10 + a[2] * 100


@program(3.0, 1.0, 2.0, gradient=[0.0, 5.0, 0.0])
def by_key(x, y, z):
    """The smallest by a key, and a list sorted backwards by one."""
    return min([x, y, z], key=lambda t: (t - 0.9) ** 2) * 2 + sorted([x, y, z], key=lambda t: -t, reverse=True)[0] * 3


@program(3.0, 4.0, gradient=[1 + 4 + 1, 1 + 3 + 1])
def dictionaries(x, y):
    d = {"a": x, "b": y}
    d["c"] = d["a"] * d["b"]
    return sum(d.values()) + sum(value for key, value in d.items() if key != "c")


@dataclasses.dataclass
class Box:
    """Two sides."""

    width: float
    height: float

    def area(self):
        return self.width * self.height

    @property
    def diagonal(self):
        return (self.width**2 + self.height**2) ** 0.5


@program(3.0, 4.0, gradient=[4 + 0.6 + 1, 3 + 0.8])
def data_class(x, y):
    box = Box(x, y)
    assert box == dataclasses.replace(Box(0.0, y), width=x)
    return box.area() + box.diagonal + dataclasses.asdict(box)["width"]


@program(3.0, 4.0, gradient=[4.0 + 4 + 6 + 24, 3.0 + 3 + 2 + 9])
def iteration_tools(x, y):
    """Folding, accumulating, mapping and zipping."""
    folded = functools.reduce(lambda a, b: a * b, [x, y])
    accumulated = sum(itertools.accumulate([x, y, x], operator.mul)) - x - x * y
    mapped = sum(map(operator.mul, [x, y], [2, 2]))
    zipped = sum(a * b for a, b in zip([x, y], [y, x], strict=True)) - x * y
    return folded + accumulated + mapped + zipped + x * 4


@program(2.0, 3.0, gradient=[6 * 4.0 * 3.0, 2 * 8.0])
def unpacking(x, y):
    """Stars, nested targets, a swap and a walrus."""
    a, *b = [x, y, x * y]
    (c, d), e = (a, b[0]), b[1]
    a, c = c, a
    return (t := a * c * e) * d * 0 + 2 * t


@program(2.0, gradient=[2 * SCALE * 3.0])
def defaults(x, k=2, *, m=SCALE):
    return x * k * m * SCALE


@program(2.0, gradient=[13.0])
def in_place(x):
    """Augmented assignment of a number makes a new one."""
    y = x
    y += x
    y *= 3
    y -= 1
    y /= 0.5
    return x + y


@program(2.5, gradient=[9.0 + 3.0])
def tables(x):
    """A whole number of the value looks up a table, counts a loop and bisects a list."""
    s = TABLE[int(x)] * x
    for _ in range(int(x) + 1):
        s += x
    return s + bisect.bisect([1, 2, 3], x) * 0


@program(2.0, 3.0, gradient=[3.0 + 2, 2.0 + 1])
def collections_of_numbers(x, y):
    """A named tuple, a queue and a heap."""
    pair = collections.namedtuple("Pair", "a b")(x, y)
    queue = collections.deque([x, y])
    queue.rotate(1)
    heap = [y, x, 5.0]
    heapq.heapify(heap)
    return pair.a * pair._replace(b=y).b + queue[0] + heapq.heappop(heap) * 2


@program(2.0, gradient=[2.0])
def matching(x):
    """Structural pattern matching of a float."""
    match [x, "a"]:
        case [float(y), str()]:
            return 2 * y
        case _:
            return 0.0


@program(2.0, gradient=[3.0])
def membership(x):
    """A number that is looked for in a list, counted and found."""
    assert x in [1.0, 2.0]
    assert x not in (3.0, 4.0)
    return x * 3 if [2.0, 2.0].count(x) == 2 and [1.0, 2.0].index(x) == 1 else x


@program(2.0, gradient=[4.0])
def handled(x):
    """An exception of the user's own, raised and handled."""
    try:
        if x > 1:
            raise KeyError(x)
    except KeyError as error:
        return error.args[0] * error.args[0]
    finally:
        x = x + 1
    return x


@program(2.0, gradient=[32 * 5 / 2])
def cached(x):
    """A memory of plain keys, made by the run itself."""

    @functools.lru_cache
    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)

    return power(5)


@program(2.0, gradient=[3.0])
def global_sum(x):
    """A global variable that the function counts in."""
    global TOTAL
    TOTAL = 0.0
    for k in range(3):
        TOTAL += x * k
    return TOTAL


TOTAL = 0.0


@program(3.0, 2.0, gradient=[0.25, -0.375])
def horner(x, y):
    """A list that is filled, extended and read backwards."""
    coefficients = [0.0] * 2
    coefficients[1] = x
    coefficients.append(0.0)
    coefficients[2] += 0 * y
    total = 0.0
    for c in reversed(coefficients):
        total = total / y + c / 2
    return total


@pytest.mark.parametrize(("f", "point", "gradient"), PROGRAMS)
def test_programs(f, point, gradient):
    """The value is that of the plain run, the gradient the one worked out by hand."""
    value, found = value_and_grad(f, tuple(range(len(point))))(*point)

    assert f(*point) == value
    assert pytest.approx(gradient, rel=1e-12) == list(found)
    assert all(type(each) is float for each in (value, *found))


def test_errors_of_the_user_leave_as_they_are():
    """The very exception, with the user's frames, and nothing of ours around it."""
    error = LookupError("mine")

    def f(x):
        raise error

    with pytest.raises(LookupError) as caught:
        grad(f)(1.0)
    assert caught.value is error
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interruption_ends_the_run(error):

    def f(x):
        raise error

    with pytest.raises(error):
        grad(f)(1.0)
    assert active_tape() is None


def test_pythons_recursion_limit_is_the_users():
    """A recursion without end is reported as Python reports it."""

    def endless(x):
        return endless(x * 1.0)

    with pytest.raises(RecursionError):
        grad(endless)(1.0)
    assert active_tape() is None


def test_a_failed_run_can_be_followed_by_another():

    def f(x):
        return 1 / (x - 1)

    with pytest.raises(ZeroDivisionError):
        grad(f)(1.0)
    assert grad(f)(2.0) == -1.0


def test_values_of_a_failed_run_are_finished():
    kept = queue.SimpleQueue()

    def f(x):
        kept.put(x)
        raise KeyError

    with pytest.raises(KeyError):
        grad(f)(1.0)
    with pytest.raises(UserCodeError, match="gradient was computed"):
        kept.get() * 2


def test_whatever_can_be_called():
    """Objects that can be called, bound methods, partial applications and built-in functions."""

    class Odd:
        def __call__(self, x):
            return math.sin(x)

    assert math.isclose(math.cos(0.5), grad(Odd())(0.5))
    assert math.isclose(3 * math.cos(1.5), grad(functools.partial(lambda k, x: math.sin(k * x), 3.0))(0.5))
    assert grad(abs)(-0.5) == -1.0
    assert list(jacobian(sum)([0.5, 0.7])) == pytest.approx([1.0, 1.0])
    assert trace(Odd().__call__, 0.0).sensitivities()[0] == 1.0


class Keeping:
    """Keeps an input, a result, or a value on the way, or nothing."""

    def __init__(self):
        self.kept = []

    def nothing(self, x):
        return x * x if self.kept is not None else x

    def an_input(self, x):
        self.kept.append(x)
        return x * x

    def a_result(self, x):
        y = x * x
        self.kept.append(y)
        return y

    def a_value(self, x):
        self.kept.append(x + 1.0)
        return x * x

    def a_value_for_its_result(self, x):
        self.mean = 0.5 * x
        return self.mean * x * 2.0


@pytest.mark.parametrize("name", [name for name in vars(Keeping) if not name.startswith("_")])
def test_what_a_run_keeps_holds_plain_numbers(name):
    """The program's objects are searched after a run only if a value of it is still alive."""
    keeping = Keeping()
    searched = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gradcli.engine.running.program_state.settle", lambda call: searched.append(settle(call)))
        slopes = [grad(getattr(keeping, name))(x) for x in (2.0, 3.0)]

    assert slopes == [4.0, 6.0]
    assert len(searched) == (0 if name == "nothing" else 2)
    assert all(type(each) is float for each in (*keeping.kept, getattr(keeping, "mean", 0.0)))
