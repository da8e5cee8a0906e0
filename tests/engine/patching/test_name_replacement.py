"""Names in code are replaced however `math`, `float` and `numpy` were imported, and everything is restored."""

import builtins
import functools
import gc
import json
import math
import math as m
import operator
import os
import statistics
import subprocess
import sys
import threading
import types
from math import *  # noqa: F403 - as users write it
from math import cos as cosine
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, special

import gradcli
from gradcli import grad, hessian, jacobian, jvp
from gradcli.engine.patching import replacement_table
from gradcli.engine.patching.mentioned_names import UNASKING
from gradcli.engine.running import known_programs
from gradcli.engine.tape.values import array_creation
from gradcli.errors import DetachedError
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.terminal.cli import main

sine = bound = math.sin
TABLE = {"sin": math.sin, "more": {"cos": math.cos}}
LIST = [math.sin, [math.cos]]
TUPLE = (math.sin, (math.cos, 1))
LAMBDAS = {"sin": lambda x: math.sin(x)}
POWER = functools.partial(math.pow, 2.0)
NESTED = {"powers": [functools.partial(math.pow, 2.0)]}


class Attributes:
    """Functions of C as attributes of a class."""

    plain = math.sin
    static = staticmethod(math.cos)
    table = {"tan": math.tan}  # noqa: RUF012 - as users write it

    def method(self, x):
        return self.plain(x) + self.static(x) + self.table["tan"](x)

    @classmethod
    def of_class(cls, x):
        return cls.plain(x)


class Holder:
    """A function of C as an attribute of an instance, in a table of its own, and in its slots."""

    def __init__(self, function):
        self.function = function
        self.table = {"f": [function]}

    def __call__(self, x):
        return self.function(x) * self.table["f"][0](x)


HOLDER = Holder(math.sin)


def composed(outer, inner):
    return lambda x: outer(inner(x))


COMPOSED = composed(math.sin, math.cos)


def encloses_a_module():
    """A function made once, whose module is a local name around it."""
    import math as local
    from math import exp as local_exp

    def f(x):
        return local.sin(x) * local_exp(x)

    return f


ENCLOSING = encloses_a_module()


def imports_inside(x):
    import math
    from math import exp

    return math.sin(x) * exp(x)


def imports_beside_the_modules(x):
    """An import of a module that has the same name outside."""
    from math import exp

    return math.sin(x) * exp(x)


def imports_a_name_of_another_use(x):
    """An import of a module whose name is also that of an attribute and of a variable."""
    import math

    import numpy.linalg

    kept = types.SimpleNamespace(math=2.0)
    return math.sin(x) * kept.math + numpy.linalg.norm([x, x])


def imports_with_dots(x):
    import numpy.fft
    import numpy.linalg as algebra
    from numpy import linalg
    from numpy.linalg import norm

    return algebra.norm([x, x]) + linalg.norm([x, x]) + norm([x, x]) + numpy.sum([numpy.fft.fft([x, x])[0].real, x])


def imports_in_inner(x):
    """An import in the body of an inner function."""

    def inner(t):
        import math as deep

        return deep.sin(t)

    return inner(x)


def encloses_in_inner(x):
    """An import around an inner function, a lambda and a comprehension."""
    import math

    def inner(t):
        return math.sin(t)

    (cosine,) = [math.cos(v) for v in [x]]
    return inner(x) + cosine + (lambda z: math.exp(z))(x)  # noqa: PLC3002 - as users write it


def runs_text(x):
    """Text in the names of this module, and in new ones."""
    names = {"x": x, "math": math}
    exec("y = math.exp(x)", names)
    return eval("math.sin(x)") * names["y"]


SINES = np.vectorize(math.sin)

FOLLOWED = {
    "module": (lambda x: math.sin(x), np.sin),
    "module under another name": (lambda x: m.sin(x), np.sin),
    "star": (lambda x: sin(x), np.sin),  # noqa: F405
    "renamed": (lambda x: cosine(x), np.cos),
    "alias": (lambda x: sine(x), np.sin),
    "in a dict": (lambda x: TABLE["sin"](x), np.sin),
    "deep in a dict": (lambda x: TABLE["more"]["cos"](x), np.cos),
    "in a list": (lambda x: LIST[0](x) * LIST[1][0](x), lambda x: np.sin(x) * np.cos(x)),
    "in a tuple": (lambda x: TUPLE[0](x) * TUPLE[1][0](x), lambda x: np.sin(x) * np.cos(x)),
    "in a lambda": (lambda x: LAMBDAS["sin"](x), np.sin),
    "partial": (lambda x: POWER(x), lambda x: 2**x),
    "partial in a list": (lambda x: NESTED["powers"][0](x), lambda x: 2**x),
    "partial made here": (lambda x: functools.partial(math.pow, 2.0)(x), lambda x: 2**x),
    "table made here": (lambda x: {"sin": math.sin}["sin"](x), np.sin),
    "attributes of a class": (lambda x: Attributes().method(x), lambda x: np.sin(x) + np.cos(x) + np.tan(x)),
    "class method": (lambda x: Attributes.of_class(x), np.sin),
    "instance": (lambda x: HOLDER(x), lambda x: np.sin(x) ** 2),
    "instance made here": (lambda x: Holder(math.sin)(x), lambda x: np.sin(x) ** 2),
    "enclosed functions": (lambda x: COMPOSED(x), lambda x: np.sin(np.cos(x))),
    "enclosed functions made here": (lambda x: composed(math.sin, math.cos)(x), lambda x: np.sin(np.cos(x))),
    "enclosed module": (ENCLOSING, lambda x: np.sin(x) * np.exp(x)),
    "enclosed module made here": (lambda x: encloses_a_module()(x), lambda x: np.sin(x) * np.exp(x)),
    "import in the body": (imports_inside, lambda x: np.sin(x) * np.exp(x)),
    "import beside the module's": (imports_beside_the_modules, lambda x: np.sin(x) * np.exp(x)),
    "import of a name of another use": (imports_a_name_of_another_use, lambda x: np.sin(x) * 2 + np.sqrt(2 * x * x)),
    "imports with dots": (imports_with_dots, lambda x: 3 * np.sqrt(2 * x * x) + 3 * x),
    "import in an inner function": (imports_in_inner, np.sin),
    "import around an inner function": (encloses_in_inner, lambda x: np.sin(x) + np.cos(x) + np.exp(x)),
    "text": (runs_text, lambda x: np.sin(x) * np.exp(x)),
    "getattr": (lambda x: getattr(math, "sin")(x), np.sin),  # noqa: B009
    "map": (lambda x: sum(map(math.sin, [x, 2 * x])), lambda x: np.sin(x) + np.sin(2 * x)),
    "reduce": (lambda x: functools.reduce(lambda a, b: a + math.exp(b), [x, x]), lambda x: x + np.exp(x)),
    "generator": (lambda x: sum(math.sin(t) for t in (x, x)), lambda x: 2 * np.sin(x)),
    "key": (lambda x: sorted([x, 0.1, 0.2], key=math.sin)[-1], lambda x: x),
    "float": (lambda x: float(x) * float(float(x)), lambda x: x * x),
    "map of float": (lambda x: sum(map(float, [x, 2 * x])), lambda x: 3 * x),
    "float in a class": (lambda x: Holder(float)(x), lambda x: x * x),
    "from the start": (math.sin, np.sin),
    "partial from the start": (functools.partial(math.pow, 2.0), lambda x: 2**x),
    "float from the start": (float, lambda x: x),
    "method": (Attributes().method, lambda x: np.sin(x) + np.cos(x) + np.tan(x)),
    "callable": (HOLDER, lambda x: np.sin(x) ** 2),
    "vectorized": (lambda x: np.sum(SINES([x, 2 * x])), lambda x: np.sin(x) + np.sin(2 * x)),
    "numpy float": (lambda x: np.float64(x) * float(np.float64(x)), lambda x: x * x),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FOLLOWED)
def test_followed(name):
    """The derivative is that of the same function of NumPy, which needs no replacement; at every call."""
    f, twin = FOLLOWED[name]
    for x in (0.7, 0.3):
        assert math.isclose(grad(twin)(x), grad(f)(x), rel_tol=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FOLLOWED)
def test_given_back(name):
    """After the run everything is as it was, also where it raised."""
    f, _ = FOLLOWED[name]

    def raises(x):
        f(x)
        raise KeyError(name)

    before = state()
    grad(f)(0.7)
    assert before == state()
    with pytest.raises(KeyError):
        grad(raises)(0.7)
    assert before == state()


def state():
    """The identities of what is replaced here: names and containers, the codes of functions, and the originals."""
    names = globals()
    held = [names, vars(Attributes), vars(HOLDER), HOLDER.table, TABLE, TABLE["more"], NESTED, Attributes.table]
    functions = [encloses_a_module, imports_inside, imports_in_inner, encloses_in_inner, ENCLOSING, COMPOSED]
    return (
        [{key: id(value) for key, value in names.items() if key != "_"} for names in held],
        [[id(item) for item in items] for items in (LIST, LIST[1], HOLDER.table["f"], NESTED["powers"])],
        [id(function.__code__) for function in functions],
        [[id(cell.cell_contents) for cell in function.__closure__ or ()] for function in functions],
        {name: id(value) for module in (math, builtins) for name, value in vars(module).items() if name != "_"},
        [id(value) for value in (np.array, np.sin, np.zeros, np.float64, np.linalg.norm, sys.modules["math"])],
    )


def count(f):
    """`f`, and a list that grows by one at each call."""
    calls = []

    def counted(x):
        calls.append(1)
        return f(x)

    return functools.wraps(f)(counted), calls


@pytest.mark.parametrize(
    "f", [lambda x: math.sin(x), lambda x: float(x), lambda x: TABLE["sin"](x), imports_inside, ENCLOSING, HOLDER]
)
def test_what_a_function_needs_is_remembered(f):
    """It is read in the code, so that the first call runs it once, as the next ones do."""
    counted, calls = count(f)
    grad(counted)(0.5)
    grad(counted)(0.5)
    assert calls == [1, 1]


def test_a_function_made_anew_is_remembered_by_its_code():
    calls = []

    def make(k):
        import math as local

        def f(x):
            calls.append(k)
            return local.sin(k * x)

        return f

    for k in range(4):
        assert math.isclose(k * math.cos(0.5 * k), grad(make(k))(0.5))
    assert calls == [0, 1, 2, 3]


def test_a_name_that_holds_another_function_at_the_next_call():
    """Each is replaced, and every call runs the program once."""
    global bound
    counted, calls = count(lambda x: bound(x))
    for function, slope in [(math.sin, math.cos), (math.exp, math.exp), (float, lambda x: 1.0)] * 2:
        bound = function
        calls.clear()
        assert grad(counted)(0.5) == pytest.approx(slope(0.5), rel=1e-15)
        assert calls == [1]


def test_a_function_that_a_run_binds_itself_is_refused():
    """It is in no place before the run, and the run is not repeated."""

    def f(x):
        global bound
        bound = functools.partial(operator.attrgetter("sin")(sys.modules["math"]))
        return bound(x)

    counted, calls = count(f)
    with pytest.raises(DetachedError):
        grad(counted)(0.5)
    assert calls == [1]


def test_what_is_remembered_keeps_nothing_alive():

    def make(k):
        holder = Holder(math.sin)
        return lambda x: holder(k * x)

    grad(make(1.0))(0.5)
    entries = len(known_programs._known)
    for k in range(20):
        grad(make(float(k)))(0.5)

    assert len(known_programs._known) == entries


SET = {math.sin}


PACKAGES = {
    "a helper module": (
        {"main": "import helper\ndef f(x): return helper.g(x) * 2\n",
         "helper": "from math import sin\ndef g(x): return sin(x)\n"},
        lambda x: 2 * np.sin(x),
    ),
    "a module that imports all of `math`, and one that imports it in a function": (
        {"main": "from pack.middle import *\ndef f(x): return g(x) * cos(x)\n", "pack__init": "",
         "pack__middle": "from math import *\nfrom . import low\ndef g(x): return sin(x) * low.h(x)\n",
         "pack__low": "def h(x):\n    import math\n    return math.exp(x)\n"},
        lambda x: np.sin(x) * np.cos(x) * np.exp(x),
    ),
    "a function handed to another module, in whose frames nothing is to be replaced": (
        {"main": "import math, helper\ndef f(x): return helper.apply(math.sin, x) + helper.each([math.cos], x)\n",
         "helper": "def apply(f, x): return f(x)\ndef each(fs, x): return sum(f(x) for f in fs)\n"},
        lambda x: np.sin(x) + np.cos(x),
    ),
    "a name, a table and a list of another module": (
        {"main": "import tables as t\ndef f(x): return t.S(x) + t.TABLE['cos'](x) + t.LIST[0](x)\n",
         "tables": "from math import sin as S, cos\nTABLE = {'cos': cos}\nLIST = [S]\n"},
        lambda x: 2 * np.sin(x) + np.cos(x),
    ),
    "a name of the user's own": (
        {"main": "import math\ndef float(x): return x * 10\ndef sin(x): return 3 * x\n"
                 "def f(x): return float(x) + sin(x) + math.sin(x)\n"},
        lambda x: 13 * x + np.sin(x),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "twin"), PACKAGES.values(), ids=PACKAGES)
def test_other_modules(package, files, twin):
    """The names of the module that asks are replaced, not those of the caller, and are given back."""
    module = package(**files)
    names = {name: dict(vars(sys.modules[name])) for name in files if name in sys.modules}

    assert grad(module.f)(0.5) == pytest.approx(grad(twin)(0.5), rel=1e-12)
    assert names == {name: dict(vars(sys.modules[name])) for name in names}


def test_a_function_that_no_name_leads_to_is_refused():

    def f(x):
        return sum(s(x) for s in SET)

    with pytest.raises(DetachedError) as caught:
        grad(f)(0.5)
    assert f.__code__.co_firstlineno + 1 == caught.value.line


def doubled(x, s=math.sin, *, t=np.sum):
    """A function that is called by another one."""
    return t([s(x), s(x)])


def test_default_values():
    """Of the function itself, of one that is called, of one that is made anew; they are given back."""
    functions = [lambda x, h=h: h([x * x, 3 * x, 1.0]) for h in (np.sum, np.max, np.mean)]

    np.testing.assert_allclose([4.0, 3.0, 4 / 3], [grad(f)(0.5) for f in functions], rtol=1e-15)
    assert math.isclose(2 * math.cos(0.5), grad(lambda x: doubled(x))(0.5))
    assert math.isclose(math.exp(0.5), grad(lambda x, *, e=math.exp: e(x))(0.5))
    assert doubled.__defaults__ == (math.sin,)
    assert doubled.__kwdefaults__ == {"t": np.sum}


def test_a_refused_function_is_run_once():
    """As one whose text is executed in names of its own."""
    calls = []

    def f(x):
        calls.append(1)
        names = {"x": x}
        exec("from math import sin\ny = sin(x)", names)
        return names["y"]

    with pytest.raises(DetachedError):
        grad(f)(0.5)
    assert calls == [1]


def test_leaks_at_every_level():
    """Third derivative, and the Jacobian of a gradient, of functions that leak."""
    assert math.isclose(-math.cos(0.5), grad(grad(grad(math.sin)))(0.5))
    assert math.isclose(-math.cos(0.5), grad(grad(grad(lambda x: math.sin(x))))(0.5))
    second = jacobian(grad(lambda v: math.sin(v[0]) + math.exp(v[1])))([0.5, 2.0])
    np.testing.assert_allclose([[-math.sin(0.5), 0.0], [0.0, math.exp(2.0)]], second)


def test_threads_share_replacements():
    """Two threads differentiate functions of one module at once: both are right, and everything is given back."""
    before = state()
    started = threading.Barrier(2, timeout=10)
    wrong = []

    def work(scale):
        def f(x):
            return math.sin(scale * x) * float(x) + TABLE["sin"](x)

        started.wait()
        for n in range(150):
            x = 0.1 + n / 400
            expected = scale * math.cos(scale * x) * x + math.sin(scale * x) + math.cos(x)
            if not math.isclose(expected, grad(f)(x), rel_tol=1e-12):
                wrong.append((scale, x))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(scale,)) for scale in (1.0, 3.0)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert wrong == []
    assert before == state()


class Binding:
    """A value that binds another name where it is held whenever it is looked at, as another thread may at any time."""

    def __init__(self, names):
        self.names = names

    @property
    def __class__(self):
        self.names[f"name{len(self.names)}"] = 1.0
        return Binding


def test_names_that_are_bound_while_a_module_is_read(package):
    module = package(
        main="from math import sin\nimport numpy as np\nTABLE = {}\n"
        "def f(x): return sin(x) * float(x) + len(other) + np.float64(x) * 0 + len(TABLE)\n"
    )
    module.other = []
    module.binding = Binding(vars(module))
    module.TABLE["binding"] = Binding(module.TABLE)

    slope = grad(module.f)(0.5)

    assert math.isclose(math.cos(0.5) * 0.5 + math.sin(0.5), slope)


def test_a_module_that_grows_while_ours_is_collected():
    original = types.ModuleType("numpy")
    original.array = np.array
    ours = types.ModuleType("numpy")
    ours.__getattr__ = lambda name: setattr(original, f"{name}_{len(vars(original))}", 1) or math.sin

    assert [id(original), id(np.array)] == [key for key, _ in replacement_table._entries(original, ours)]


def test_a_name_bound_anew_while_it_is_replaced():
    names = {"math": math, "__name__": "elsewhere"}
    exec("def f(x):\n    global math\n    y = math.sin(x)\n    math = None\n    return y\n", names)
    function = names["f"]
    grad(lambda x: function(x) if names["math"] else x)(0.5)

    assert names["math"] is None


def test_files_that_gradcli_loads(tmp_path):
    """They keep the names of Python's, which are replaced while a function runs."""
    from gradcli.answers.targets.python_files import load

    path = tmp_path / "loaded.py"
    path.write_text(
        "import math, statistics\nimport numpy as np\nfrom math import sin\n"
        "def f(x, s=sin, t={'cos': math.cos}):\n    return s(x) * t['cos'](x) * float(x) + statistics.mean([x, 1.0])\n"
        "def kind(x):\n    return x * 2 if type(x) is float else x\n"
        "class Number(float):\n    pass\n"
        "def check():\n    return type(1.0) is float, type(1) is int, type(Number(1)) is Number, "
        "isinstance(2.0, Number)\n"
    )
    module = load(str(path))
    calls = []

    assert math.isclose(
        grad(lambda x: np.sin(x) * np.cos(x) * x + x / 2)(0.5), grad(lambda x: (calls.append(1), module.f(x))[1])(0.5)
    )
    assert calls == [1]
    assert grad(module.kind)(0.5) == 2.0
    assert module.check() == (True, True, True, False)
    assert type(module.f(0.5)) is float
    assert (module.sin, module.math) == (math.sin, math)


def test_classes_of_files_that_gradcli_loads(tmp_path):
    from gradcli.answers.targets.python_files import load

    path = tmp_path / "classes.py"
    path.write_text(
        "import abc, enum, typing\nimport numpy as np\n"
        "class Level(float, enum.Enum):\n    LOW = 0.5\n    HIGH = 2.0\n"
        "class Quantity(float, abc.ABC):\n    def twice(self):\n        return self * 2\n"
        "class Meta(type):\n    pass\n"
        "class Made(metaclass=Meta):\n    number: float = 1.0\n    many: typing.Optional[float] = None\n"
        "class Own(np.float64):\n    pass\n"
        "class Plain(metaclass=type):\n    pass\n"
        "def f(x):\n    return x * Level.HIGH * Quantity(3.0).twice() * Made.number\n"
    )
    module = load(str(path))

    assert grad(module.f)(1.0) == 12.0
    assert (float, type, np.float64) == (module.Quantity.__base__, module.Meta.__base__, module.Own.__base__)
    assert isinstance(module.Level.LOW, float)


def test_a_module_that_asks_for_types_has_its_names_replaced_from_the_start(package):
    """`type(x) is float` makes no leak, so that the gradient looks for it beforehand."""
    module = package(
        main="import helper\ndef f(x): return helper.g(x)\n\nclass A:\n    def m(self, x): return helper.g(x)\n",
        helper="def g(x): return 2 * x if type(x) is float else x\n",
    )

    assert grad(module.f)(1.0) == 2.0
    assert grad(module.A().m)(1.0) == 2.0
    assert grad(lambda x: module.A().m(x))(1.0) == 2.0


def test_functions_of_a_module_without_a_name():
    """Text that was executed has functions of no module."""
    names = {"np": np}
    exec("def inner(x):\n    return np.sin([x, x])\n\n\ndef f(x):\n    return np.sum(inner(x))", names)
    assert 2 * math.cos(0.5) == pytest.approx(grad(names["f"])(0.5))


def closure(table):
    """A function that encloses a module, and one that is reached by a container alone."""
    import math

    def inner(x):
        return math.sin(x) * x

    table["inner"] = {"a": {"b": {"c": {"d": [inner]}}}}
    return lambda x: table["inner"]["a"]["b"]["c"]["d"][0](x) + math.cos(x)


@pytest.mark.long
def test_after_gc_freeze():
    """What is frozen is found by what names lead to."""
    f = closure({})
    gc.freeze()

    assert grad(f)(0.5) == pytest.approx(0.5 * math.cos(0.5))


def test_a_ufunc_may_be_the_first_thing_that_meets_an_array(tmp_path):
    """In a fresh process: NumPy's names are replaced before anybody has asked how ufuncs are recorded."""
    (tmp_path / "loose.py").write_text("import numpy as np\ndef f(v):\n    return np.sum(np.exp(-v**2))\n")
    command = [sys.executable, "-m", "gradcli", "grad", "loose.py:f", "--at", "1,1", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(gradcli.__file__).parents[1])}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
    assert pytest.approx([-2 * math.exp(-1.0)] * 2) == json.loads(result.stdout)["gradient"]


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (special.logsumexp, np.array([1.0, 2.0, 3.0])),
        (functools.partial(special.logsumexp, axis=None), np.array([1.0, 2.0, 3.0])),
        (linalg.det, np.array([[2.0, 0.5], [0.5, 3.0]])),
        (statistics.mean, [1.0, 2.0, 4.0]),
        (math.hypot, 1.5),
        (float, 1.5),
    ],
    ids=["SciPy", "partial", "det", "statistics", "math", "type"],
)
def test_a_function_of_a_library_is_its_own_target(f, at):
    called = lambda x: f(x)

    for transform in (grad, hessian, lambda f: jacobian(lambda x: jvp(f, (x,), (at,))[1])):
        assert repr(transform(f)(at)) == repr(transform(called)(at))
    assert gradcli.check(f, at=at).verdict == "pass"


def test_a_function_of_a_library_through_the_commands(capsys):
    for command in ("hessian", "precision", "check"):
        assert main([command, "scipy.special:logsumexp", "--at", "[1,2,3]"]) == 0
    capsys.readouterr()


def test_plain_functions_of_numpy_with_rules_are_replaced() -> None:
    """They are those of NumPy's Python functions with a rule that never ask their arguments for it."""
    modules = {"": np, "fft.": np.fft, "linalg.": np.linalg, "lib.stride_tricks.": np.lib.stride_tricks}
    plain = {
        name
        for prefix, module in modules.items()
        for name, item in vars(module).items()
        if isinstance(item, types.FunctionType) and (name in FUNCTIONS or prefix + name in FUNCTIONS)
    }

    assert plain - {*array_creation.FUNCTIONS} == {*UNASKING}
