"""Custom operations of PyTorch: those of its documents, and published ones."""

import inspect
from typing import Any

import numpy as np
import torch

from benchmarks.other_libraries.claim import Claim
from gradcli.methods.adapters.adapted_object import with_parameters

EXTENDING = "docs.pytorch.org/docs/stable/notes/extending.html"
FUNCTIONS = "docs.pytorch.org, Extending torch.func with autograd.Function"
RNG = np.random.default_rng(0)


def operation(value: Any, backward: Any) -> type[torch.autograd.Function]:
    """A custom operation with this value and this `backward(g, *inputs)`, a tuple or the only cotangent."""

    def forward(ctx: Any, *inputs: Any) -> Any:
        ctx.save_for_backward(*inputs)
        return value(*inputs)

    def pulled(ctx: Any, g: Any) -> Any:
        return backward(g, *ctx.saved_tensors)

    names = ["ctx", *inspect.signature(value).parameters]
    own = {"forward": staticmethod(with_parameters(forward, names)), "backward": staticmethod(pulled)}
    return type("Operation", (torch.autograd.Function,), own)


def claim(name: str, origin: str, value: Any, right: Any, wrong: Any, **at: Any) -> Claim:
    return Claim(name, origin, operation(value, right), operation(value, wrong), at)


def accepted(operation: Any, at: dict[str, Any]) -> bool:
    """Whether `torch.autograd.gradcheck` accepts the backward of an operation."""
    inputs = [torch.tensor(x, requires_grad=True) for x in at.values()]
    return bool(torch.autograd.gradcheck(operation.apply, inputs, raise_exception=False))


def mish_slope(x: Any, power: int) -> Any:
    t = torch.tanh(torch.nn.functional.softplus(x))
    return t + x * torch.sigmoid(x) * (1 - t**power)


def hard_swish_slope(x: Any, above: Any) -> Any:
    return torch.where(x < -3, 0 * x, torch.where(x <= 3, x / 3 + 0.5, above))


def normalised(x: Any) -> Any:
    mean = x.mean(1, keepdim=True)
    length = ((x - mean).pow(2).mean(1, keepdim=True) + 1e-6).sqrt()
    return (x - mean) / length, length


def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    return weight.view(1, -1, 1, 1) * normalised(x)[0] + bias.view(1, -1, 1, 1)


def layer_norm_backward(g: Any, x: Any, weight: Any, less: float) -> Any:
    y, length = normalised(x)
    scaled = g * weight.view(1, -1, 1, 1)
    along = y * (scaled * y).mean(1, keepdim=True)
    by_x = (scaled - along - less * scaled.mean(1, keepdim=True)) / length
    return by_x, (g * y).sum((0, 2, 3)), g.sum((0, 2, 3))


def sparsemax(x: Any) -> Any:
    ordered, _ = torch.sort(x, descending=True)
    count = torch.arange(1, len(x) + 1, dtype=x.dtype)
    excess = (ordered.cumsum(0) - 1) / count
    return torch.clamp(x - excess[(ordered > excess).sum() - 1], min=0)


def sparsemax_backward(g: Any, x: Any, everywhere: bool) -> Any:
    taken = (sparsemax(x) > 0).to(x.dtype)
    mean = g.mean() if everywhere else (g * taken).sum() / taken.sum()
    return taken * (g - mean)


def entmax(x: Any) -> Any:
    half = (x - x.max()) / 2
    ordered, _ = torch.sort(half, descending=True)
    count = torch.arange(1, len(x) + 1, dtype=x.dtype)
    mean = ordered.cumsum(0) / count
    spread = count * ((ordered**2).cumsum(0) / count - mean**2)
    threshold = mean - torch.sqrt(torch.clamp((1 - spread) / count, min=0))
    return torch.clamp(half - threshold[(threshold <= ordered).sum() - 1], min=0) ** 2


def entmax_backward(g: Any, x: Any, power: float) -> Any:
    root = torch.sqrt(entmax(x))
    return g * root - root * (g * root).sum() / (root**power).sum()


def square_root(a: Any) -> Any:
    root, inverse = a, torch.eye(len(a), dtype=a.dtype)
    for _ in range(30):
        root, inverse = (root + torch.linalg.inv(inverse)) / 2, (inverse + torch.linalg.inv(root)) / 2
    return root


def square_root_backward(g: Any, a: Any, transposed: bool) -> Any:
    s, one = square_root(a), torch.eye(len(a), dtype=a.dtype)
    first, second = (s, s.T) if transposed else (s.T, s)
    system = torch.kron(first.contiguous(), one) + torch.kron(one, second.contiguous())
    return torch.linalg.solve(system, g.reshape(-1)).reshape(a.shape)


LINE = np.array([-1.3, -0.2, 0.4, 1.1, 2.5])
CYCLE = np.array([0.9, 0.1, 0.4])
TAKEN = torch.tensor([4, 0, 3, 3, 1])
SCORES = np.array([0.1, -0.2, 0.4, 0.9, 0.6])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.5, 1.5, 0.2], [0.0, 0.4, 3.0]])
IMAGE = {"x": RNG.normal(size=(2, 3, 2, 2)), "weight": np.array([0.5, 1.0, 2.0]), "bias": np.array([0.1, -0.2, 0.3])}
AFFINE = {"input": RNG.normal(size=(4, 3)), "weight": RNG.normal(size=(2, 3)), "bias": np.array([0.3, -0.1])}

CLAIMS = [
    claim("LegendrePolynomial3", "PyTorch's tutorial on new autograd functions", lambda x: 0.5 * (5 * x**3 - 3 * x),
          lambda g, x: g * 1.5 * (5 * x**2 - 1), lambda g, x: g * (1.5 * 5 * x**2 - 1), x=LINE),
    claim("LinearFunction", EXTENDING, lambda input, weight, bias: input @ weight.T + bias,
          lambda g, x, w, b: (g @ w, g.T @ x, g.sum(0)), lambda g, x, w, b: (g @ w, g.T @ x, g.mean(0)), **AFFINE),
    claim("MulConstant", EXTENDING, lambda x: x * 2.5, lambda g, x: g * 2.5, lambda g, x: g, x=LINE),
    claim("MyCube", EXTENDING, lambda x: x**3, lambda g, x: g * 3 * x**2, lambda g, x: g * 2 * x**2, x=LINE),
    claim("NumpySort", FUNCTIONS, lambda x: torch.sort(x).values,
          lambda g, x: g[torch.argsort(torch.argsort(x))], lambda g, x: g[torch.argsort(x)], x=CYCLE),
    claim("NumpyTake", FUNCTIONS, lambda x: x[TAKEN],
          lambda g, x: torch.zeros_like(x).index_put((TAKEN,), g, accumulate=True),
          lambda g, x: torch.zeros_like(x).index_put((TAKEN,), g), x=SCORES),
    claim("Exp", "docs.pytorch.org/docs/stable/autograd.html", lambda x: 1 * torch.exp(x),
          lambda g, x: g * torch.exp(x), lambda g, x: g * x, x=LINE),
    claim("sinh", "PyTorch's tutorial on double backward", lambda x: (torch.exp(x) - torch.exp(-x)) / 2,
          lambda g, x: g * torch.cosh(x), lambda g, x: g * torch.sinh(x), x=LINE),
    claim("SwishImplementation", "EfficientNet-PyTorch, efficientnet_pytorch/utils.py",
          lambda x: x * torch.sigmoid(x),
          lambda g, x: g * torch.sigmoid(x) * (1 + x * (1 - torch.sigmoid(x))),
          lambda g, x: g * torch.sigmoid(x) * (1 + x * (1 + torch.sigmoid(x))), x=LINE),
    claim("MishJitAutoFn", "timm, layers/activations_me.py", lambda x: x * torch.tanh(torch.nn.functional.softplus(x)),
          lambda g, x: g * mish_slope(x, 2), lambda g, x: g * mish_slope(x, 1), x=LINE),
    claim("HardSwishJitAutoFn", "timm, layers/activations_me.py", lambda x: x * torch.clamp(x + 3, 0, 6) / 6,
          lambda g, x: g * hard_swish_slope(x, 1 + 0 * x), lambda g, x: g * hard_swish_slope(x, x),
          x=np.array([-4.0, -1.0, 0.5, 4.0])),
    claim("LayerNormFunction", "NAFNet, basicsr/models/archs/arch_util.py", layer_norm,
          lambda g, x, w, b: layer_norm_backward(g, x, w, 1.0),
          lambda g, x, w, b: layer_norm_backward(g, x, w, 0.0), **IMAGE),
    claim("SparsemaxFunction", "entmax, entmax/activations.py", sparsemax,
          lambda g, x: sparsemax_backward(g, x, False), lambda g, x: sparsemax_backward(g, x, True), x=SCORES),
    claim("Entmax15Function", "entmax, entmax/activations.py", entmax,
          lambda g, x: entmax_backward(g, x, 1.0), lambda g, x: entmax_backward(g, x, 2.0), x=SCORES),
    claim("MatrixSquareRoot", "pytorch-sqrtm, sqrtm.py", square_root,
          lambda g, a: square_root_backward(g, a, False), lambda g, a: square_root_backward(g, a, True), a=MATRIX),
]  # fmt: skip
