"""An array on the host that refuses what CuPy's refuses: programs for a device can be tested without.

It is never converted to NumPy unasked, never mixed with an array of NumPy's; its reductions are arrays without axes;
what waits for the device (`float`, `bool`, `item`, `get`) is allowed, and counted.
"""

from types import SimpleNamespace

import numpy as np

__name__ = "cupy.standin"  # what is said of a program passes over these frames, as it does over CuPy's

NO_CONVERSION = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)
KINDS = "?bhilqBHILQefdFD"  # the types that a device computes with: no longdouble, no objects
UFUNCS_AT = frozenset({"add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"})
UFUNCS_REDUCE = frozenset({"add", "multiply"})


class Count:
    """How often a program waited for the device, and how many arrays it moved."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.syncs = self.uploads = self.downloads = 0


count = Count()


class ndarray:
    """An array on the device that is not there."""

    __array_priority__ = 100
    __hash__ = None

    def __init__(self, held, base=None):
        if held.dtype.char not in KINDS:
            raise ValueError(f"Unsupported dtype {held.dtype}")
        self._held = held
        self.base = base

    shape = property(lambda self: self._held.shape)
    ndim = property(lambda self: self._held.ndim)
    size = property(lambda self: self._held.size)
    dtype = property(lambda self: self._held.dtype)
    strides = property(lambda self: self._held.strides)
    nbytes = property(lambda self: self._held.nbytes)
    itemsize = property(lambda self: self._held.itemsize)
    T = property(lambda self: wrapped(self._held.T, (self,)))
    real = property(lambda self: wrapped(self._held.real, (self,)))
    imag = property(lambda self: wrapped(self._held.imag, (self,)))

    @property
    def flags(self):
        """How it lies in memory; whether it may be written to is no question."""
        flags = self._held.flags
        return SimpleNamespace(c_contiguous=flags.c_contiguous, f_contiguous=flags.f_contiguous, owndata=flags.owndata)

    @property
    def device(self):
        from tests.standin.library import Device

        return Device(0)

    # Conversions: refused, or counted.

    def __array__(self, *arguments, **options):
        raise TypeError(NO_CONVERSION)

    def get(self):
        count.syncs += 1
        count.downloads += 1
        return self._held.copy()

    def _waited(self):
        count.syncs += 1
        return self._held

    def __float__(self):
        return float(self._waited())

    def __int__(self):
        return int(self._waited())

    def __bool__(self):
        return bool(self._waited())

    def __complex__(self):
        return complex(self._waited())

    def item(self, *place):
        return self._waited().item(*place)

    def tolist(self):
        return self._waited().tolist()

    def __repr__(self):
        return repr(self._waited())

    def __str__(self):
        return str(self._waited())

    def __format__(self, spec):
        return format(self._waited()[()], spec)

    # Places.

    def __len__(self):
        return len(self._held)

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[n] for n in range(len(self)))

    def __getitem__(self, key):
        key = unwrapped(key)
        found = self._held[key]
        if not isinstance(found, np.ndarray):  # CuPy reads a number as a view without axes
            found = self._held[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        return wrapped(found, (self,))

    def __setitem__(self, key, item):
        if isinstance(item, np.ndarray):
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        if not is_one(item) and not is_scalar(item):
            raise ValueError(f"{type(np.asarray(item))} cannot be used for fill")
        self._write(unwrapped(key), unwrapped(item))

    def _write(self, key, item):
        """The first number stays where a key repeats a place; a device may keep any of them."""
        places = np.arange(self.size).reshape(self.shape)[key]
        numbers = np.ravel(self._held)
        item = np.reshape(item, np.shape(item)[max(0, np.ndim(item) - np.ndim(places)) :])  # axes of length 1
        written = np.ravel(np.broadcast_to(item, np.shape(places)))
        numbers[np.ravel(places)[::-1]] = written[::-1]
        self._held[...] = numbers.reshape(self.shape)

    # NumPy's protocols, and operators, which go through them.

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        from tests.standin.library import TABLE, OutOfMemoryError

        name = ufunc.__name__
        if name not in TABLE and f"special.{name}" not in TABLE:
            return NotImplemented
        if any(not is_one(x) and not is_host(x) and not is_scalar(x) for x in (*inputs, *(out or ()))):
            return NotImplemented
        if options.get("where", True) is not True or (method == "__call__" and "where" in options):
            raise TypeError(f"Wrong arguments {options}")
        allowed = {"at": UFUNCS_AT, "reduce": UFUNCS_REDUCE, "accumulate": UFUNCS_REDUCE, "__call__": (name,)}
        if name not in allowed.get(method, ()):
            raise NotImplementedError(f"`cupy_{name}.{method}` is not supported yet")
        with np.errstate(all="ignore"):
            try:
                result = getattr(ufunc, method)(*map(unwrapped, inputs), **options)
            except MemoryError as error:
                raise OutOfMemoryError(str(error)) from None
        if out is None:
            return wrapped(result, ())
        out[0]._held[...] = result
        return out[0]

    def __array_function__(self, function, types, arguments, options):
        from tests.standin.library import call, name_of

        name = name_of(function)
        if name is None or any(kind not in (ndarray, np.ndarray) for kind in types):
            return NotImplemented
        return call(name, function, arguments, options)

    # Methods.

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        return wrapped(self._held.astype(dtype, copy=copy), (self,))

    def copy(self, order="C"):
        return ndarray(self._held.copy())

    def fill(self, value):
        self[...] = value

    def flatten(self, order="C"):
        return ndarray(self._held.flatten(order))

    def reshape(self, *shape, order="C"):
        return wrapped(self._held.reshape(*shape, order=order), (self,))

    def transpose(self, *axes):
        return wrapped(self._held.transpose(*axes), (self,))


def is_one(x):
    """Whether a value truly is an array of the device: a recorded one says so of itself."""
    return issubclass(type(x), ndarray)


def is_host(x):
    """Whether a value truly is an array of NumPy's."""
    return issubclass(type(x), np.ndarray)


def is_scalar(x):
    """Whether a value is a number that may meet an array of the device."""
    kind = type(x)
    return x.dtype.char in KINDS if issubclass(kind, np.generic) else issubclass(kind, (int, float, complex))


def unwrapped(x):
    """What stands in for a value of the device, also in lists and tuples.

    Raises:
        TypeError: it is an array of NumPy's, or what no device knows.
    """
    if is_one(x):
        return x._held
    if is_host(x) or (hasattr(type(x), "__array_ufunc__") and not issubclass(type(x), np.generic)):
        raise TypeError(f"Unsupported type {type(x)}")
    if isinstance(x, (list, tuple)):
        return type(x)(map(unwrapped, x)) if type(x) in (list, tuple) else type(x)(*map(unwrapped, x))
    return x


def wrapped(x, arguments):
    """A result as an array of the device; `arguments` are those whose numbers it may share."""
    if isinstance(x, np.generic):
        return ndarray(np.asarray(x))
    if isinstance(x, np.ndarray):
        return ndarray(x, next((owner(a) for a in arguments if shares(x, a)), None))
    if isinstance(x, (list, tuple)):
        parts = [wrapped(item, arguments) for item in x]
        return type(x)(parts) if type(x) in (list, tuple) else type(x)(*parts)
    return x


def owner(x):
    """The array that owns the numbers of a view."""
    return x if x.base is None else x.base


def shares(x, argument):
    """Whether a result is a view of an argument."""
    whole = argument._held
    return x is whole or (x.base is not None and (x.base is whole or x.base is whole.base))


_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "mod": np.remainder,
    "floordiv": np.floor_divide, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip
_COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_SIGNS = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_METHODS = """
    all any argmax argmin argpartition argsort choose clip compress conj conjugate cumprod cumsum diagonal dot max
    mean min nonzero prod ptp ravel repeat round searchsorted squeeze std sum swapaxes take trace var
"""


def _install():
    for name, ufunc in _OPERATORS.items():
        setattr(ndarray, f"__{name}__", lambda self, other, ufunc=ufunc: ufunc(self, other))
        setattr(ndarray, f"__r{name}__", lambda self, other, ufunc=ufunc: ufunc(other, self))
        if name != "matmul":
            setattr(ndarray, f"__i{name}__", _in_place(ufunc))
    for name, ufunc in _COMPARISONS.items():
        setattr(ndarray, f"__{name}__", lambda self, other, ufunc=ufunc: ufunc(self, other))
    for name, ufunc in _SIGNS.items():
        setattr(ndarray, f"__{name}__", lambda self, ufunc=ufunc: ufunc(self))
    for name in _METHODS.split():
        setattr(ndarray, name, _method(name))


def _in_place(ufunc):
    def method(self, other):
        if not is_one(other) and not is_scalar(other):
            raise TypeError(f"Unsupported type {type(other)}")
        ufunc(self._held, unwrapped(other), out=self._held)
        return self

    return method


def _method(name):
    def method(self, *arguments, **options):
        return getattr(np, name)(self, *arguments, **options)

    return method


_install()
ndarray.__module__ = "cupy"
