"""Hints for names of TensorFlow, PyTorch and NumPy arrays that gradcli does not have."""

from __future__ import annotations

# TensorFlow functions that have another name in NumPy, where they accept tensors.
OF_NUMPY = {
    "acos": "np.arccos(x)",
    "acosh": "np.arccosh(x)",
    "asin": "np.arcsin(x)",
    "asinh": "np.arcsinh(x)",
    "atan": "np.arctan(x)",
    "atan2": "np.arctan2(y, x)",
    "atanh": "np.arctanh(x)",
    "fill": "np.full(shape, x)",
    "boolean_mask": "x[mask]",
    "clip_by_value": "np.clip(x, low, high)",
    "concat": "np.concatenate([x, y], axis=0)",
    "divide": "x / y",
    "einsum": "np.einsum(...)",
    "expand_dims": "np.expand_dims(x, axis)",
    "gather": "np.take(x, indices, axis=0)",
    "multiply": "x * y",
    "norm": "np.linalg.norm(x)",
    "pow": "x**y",
    "range": "np.arange(n)",
    "rank": "x.ndim",
    "reduce_all": "np.all(x)",
    "reduce_any": "np.any(x)",
    "reduce_max": "np.max(x)",
    "reduce_mean": "np.mean(x)",
    "reduce_min": "np.min(x)",
    "reduce_prod": "np.prod(x)",
    "reduce_std": "np.std(x)",
    "reduce_sum": "np.sum(x)",
    "reduce_variance": "np.var(x)",
    "reverse": "np.flip(x, axis)",
    "size": "x.size",
    "split": "np.split(x, n)",
    "subtract": "x - y",
    "tensordot": "np.tensordot(x, y, axes)",
    "truediv": "x / y",
    "unstack": "list(x)",
    "zeros_like": "np.zeros_like(x)",
}
# Functions of the same name in NumPy: for `gradcli.square`, write `np.square`.
SAME = frozenset((
    "abs", "add", "arange", "argmax", "argmin", "argsort", "array", "asarray", "broadcast_to", "ceil",
    "complex128", "complex64", "conj", "cos", "cosh", "cumprod", "cumsum", "dot", "equal", "exp", "expm1",
    "eye", "fft", "float16", "float32", "float64", "floor", "imag", "int16", "int32", "int64", "int8", "linalg",
    "linspace", "log", "log1p", "logical_and", "logical_not", "logical_or", "matmul", "max", "maximum", "mean",
    "meshgrid", "min", "minimum", "negative", "not_equal", "ones", "ones_like", "pad", "pi", "random", "real",
    "repeat", "reshape", "roll", "round", "searchsorted", "shape", "sign", "sin", "sinh", "sort", "sqrt",
    "square", "squeeze", "stack", "std", "sum", "tan", "tanh", "tile", "transpose", "uint8", "unique",
    "var", "where", "zeros",
))  # fmt: skip

OF_GRADCLI = {
    "Module": "use a plain class for variables; vars(self).values() collects them",
    "Tensor": "a tensor is made by gradcli.constant(x)",
    "UnconnectedGradients": "write unconnected_gradients='none' or 'zero'",
    "autograd": "gradcli.grad(f) is the gradient of f",
    "check_grads": "write gradcli.check(f, at=x, against=g)",
    "convert_to_tensor": "write gradcli.constant(x)",
    "custom_gradient": "write gradcli.custom_vjp(f)",
    "executing_eagerly": "computation is always eager",
    "function": "functions run as they are",
    "gradients": "write gradcli.grad(f), or use a GradientTape",
    "identity": "write x.copy()",
    "jacfwd": "write gradcli.jacobian(f)",
    "jacrev": "write gradcli.jacobian(f)",
    "jit": "functions run as they are; gradcli.derive(f, at=x) writes the gradient as source code",
    "keras": "layers and optimisers are a few lines of NumPy: see examples/training.py",
    "no_gradient": "write gradcli.stop_gradient(x)",
    "no_grad": "write gradcli.stop_gradient(x), or tape.stop_recording()",
    "nn": "write it with NumPy's functions: np.maximum(x, 0), 1 / (1 + np.exp(-x))",
    "optimizers": "optimisers are a few lines: see examples/training.py",
    "tensor": "write gradcli.constant(x)",
    "train": "optimisers are a few lines: see examples/training.py",
    "vmap": "write f for arrays, whose functions take a batch along an axis, or call it for each point",
    "zeros_initializer": "write gradcli.Variable(np.zeros(shape))",
}

OF_TENSORS = {
    "assign": "tensors and parts of variables are immutable: write v.assign(y) for the whole variable",
    "assign_add": "tensors and parts of variables are immutable: write v.assign_add(y) for the whole variable",
    "assign_sub": "tensors and parts of variables are immutable: write v.assign_sub(y) for the whole variable",
    "backward": "write tape.gradient(y, x), of a GradientTape that recorded y",
    "bool": "write gradcli.cast(x, bool)",
    "cpu": "write x.numpy()",
    "cuda": "create it inside `with gradcli.device('gpu'):`",
    "detach": "write gradcli.stop_gradient(x)",
    "device": "x.numpy() is on the host; gradcli.device('gpu') chooses where tensors are made",
    "dim": "write x.ndim",
    "eval": "write x.numpy()",
    "exp": "write np.exp(x)",
    "float": "write gradcli.cast(x, float)",
    "get_shape": "write x.shape",
    "gpu": "create it inside `with gradcli.device('gpu'):`",
    "grad": "write tape.gradient(y, x), of a GradientTape that recorded y",
    "log": "write np.log(x)",
    "norm": "write np.linalg.norm(x)",
    "permute": "write np.transpose(x, axes)",
    "pow": "write x**n",
    "ref": "write x itself: tensors are equal to themselves in sets and dicts",
    "requires_grad": "write tape.watch(x); variables are watched by themselves",
    "requires_grad_": "write tape.watch(x); variables are watched by themselves",
    "set_shape": "write np.reshape(x, shape)",
    "sort": "write np.sort(x)",
    "sqrt": "write np.sqrt(x)",
    "stop_gradient": "write gradcli.stop_gradient(x)",
    "unsqueeze": "write np.expand_dims(x, axis)",
    "view": "write np.reshape(x, shape)",
    "zero_": "write x.assign(np.zeros(x.shape))",
}
_PARTLY = "write x.assign(y) with an array y of the new numbers"
_WRITES = ("fill", "itemset", "partition", "put", "resize", "scatter_", "batch_scatter", "setfield", "setflags")


def of_gradcli(name: str) -> str | None:
    """What to type instead of `gradcli.name`, or None if the name is unknown."""
    if name in OF_GRADCLI:
        return OF_GRADCLI[name]
    spelling = OF_NUMPY.get(name) or (f"np.{name}" if name in SAME else None)
    return f"NumPy's functions take tensors: write {spelling}" if spelling else None


def of_tensors(name: str, variable: bool) -> str:
    """What to type instead of `x.name`, where `x` is a tensor or a variable."""
    if name in OF_TENSORS:
        return OF_TENSORS[name]
    if name.startswith(_WRITES):
        return _PARTLY if variable else "tensors are immutable: create another one, or a gradcli.Variable"
    other = "; x.assign(...) gives it another value" if variable else ""
    return f"NumPy's functions take tensors, and x.numpy() is an array{other}"
