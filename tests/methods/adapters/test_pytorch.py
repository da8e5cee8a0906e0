"""Custom operations, modules and functions of PyTorch."""

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.answers.targets import resolve
from gradcli.errors import TapeError
from gradcli.shared.records.check_request import CheckRequest

torch = pytest.importorskip("torch")


class Square(torch.autograd.Function):
    """A custom operation."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class WrongSquare(Square):
    """A backward with another factor."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * g


class Scaled(torch.autograd.Function):
    """An operation with a second input, a whole number, a context set up apart, and two results."""

    @staticmethod
    def forward(x, y, n):
        return x**n * y, torch.sin(y)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y, n = inputs
        ctx.save_for_backward(x, y)
        ctx.n = n

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return ctx.n * x ** (ctx.n - 1) * y * g, x**ctx.n * g + torch.cos(y) * h, None


class ForgottenResult(Scaled):
    """A backward that forgets the second result."""

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return ctx.n * x ** (ctx.n - 1) * y * g, x**ctx.n * g, None


class Detached(torch.autograd.Function):
    """An operation whose backward depends on the input only through numbers, so that its second derivative is 0."""

    @staticmethod
    def forward(ctx, x):
        ctx.slope = 2 * x.detach()
        return x * x

    @staticmethod
    def backward(ctx, g):
        return ctx.slope * g


def sines(x: torch.Tensor):
    return (torch.sin(x) * x).sum()


POINT = np.array([0.5, -1.5, 2.0])


@pytest.mark.parametrize(("operation", "verdict"), [(Square, "pass"), (WrongSquare, "fail")])
@pytest.mark.parametrize("at", [POINT, 1.5, POINT.reshape(3, 1)])
def test_a_backward_is_judged(operation, verdict, at):
    assert gradcli.check(operation, at=at).verdict == verdict


@pytest.mark.parametrize(("operation", "verdict"), [(Square, "pass"), (WrongSquare, "fail")])
def test_single_precision_is_judged(operation, verdict):
    assert gradcli.check(operation, at=POINT.astype(np.float32)).verdict == verdict


@pytest.mark.parametrize(("operation", "verdict"), [(Scaled, "pass"), (ForgottenResult, "fail")])
def test_every_input_and_every_result_counts(operation, verdict):
    target = resolve(f"{__file__}:{operation.__name__}")
    comparison = queries.check(target, "x=[0.5,-1.5],y=[2,0.5],n=3", CheckRequest(wrt="x,y"))
    assert (comparison.verdict, len(comparison.components)) == (verdict, 4)


@pytest.mark.parametrize(("operation", "verdict"), [(Square, "pass"), (Detached, "fail")])
def test_second_derivatives_are_judged(operation, verdict):
    assert gradcli.check(operation, at=POINT, of="hessian").verdict == verdict


def test_a_module_is_judged_as_a_copy_in_double_precision():
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    assert gradcli.check(module, at=POINT).verdict == "pass"
    assert module[0].weight.dtype == torch.float32


class ScaledSine(torch.autograd.Function):
    """A product with a tangent of its own."""

    @staticmethod
    def forward(x, y):
        return torch.sin(x) * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * torch.cos(x) * y, g * torch.sin(x)

    @staticmethod
    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return torch.cos(x) * y * dx + torch.sin(x) * dy


class WrongTangent(ScaledSine):
    """A tangent with a wrong sign."""

    @staticmethod
    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return torch.cos(x) * y * dx - torch.sin(x) * dy


class WrongByScale(ScaledSine):
    """A backward that is wrong by the second input."""

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * torch.cos(x) * y, 2 * g * torch.sin(x)


class Layer(torch.nn.Module):
    """A module that calls this operation with a parameter."""

    def __init__(self, operation):
        super().__init__()
        self.operation = operation
        self.scale = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x):
        return self.operation.apply(x, self.scale)


RIGHT_LAYER, WRONG_LAYER = Layer(ScaledSine), Layer(WrongByScale)


@pytest.mark.parametrize(("operation", "verdict"), [(ScaledSine, "pass"), (WrongTangent, "fail")])
def test_the_jvp_of_an_operation_is_judged_as_its_jacobian(operation, verdict):
    at = {"x": POINT, "y": POINT + 1.0}
    assert gradcli.check(operation, at=at, of="jacobian").verdict == verdict
    assert gradcli.check(operation, at=at).verdict == "pass"


@pytest.mark.parametrize(
    ("name", "wrt", "verdict"),
    [("RIGHT_LAYER", "scale", "pass"), ("WRONG_LAYER", "x", "pass"), ("WRONG_LAYER", "x,scale", "fail")],
)
def test_the_parameters_of_a_module_are_inputs_with_their_values(name, wrt, verdict):
    comparison = queries.check(resolve(f"{__file__}:{name}"), "[1,2]", CheckRequest(wrt=wrt))

    assert comparison.verdict == verdict
    assert [*comparison.point] == (["x", "scale"] if "scale" in wrt else ["x"])


def test_the_parameters_of_layers_have_the_names_of_inputs():
    module = torch.nn.Sequential(torch.nn.Linear(2, 1))
    at = {"input": np.array([1.0, 2.0]), "layer0_bias": np.array([0.5])}

    assert gradcli.check(module, at=at).verdict == "pass"


def test_a_function_whose_parameters_are_annotated_as_tensors_is_judged():
    assert gradcli.check(sines, at=POINT).verdict == "pass"


def test_what_pytorch_computes_has_no_gradient_of_gradclis():
    with pytest.raises(TapeError, match="PyTorch computes the function"):
        queries.gradient(resolve(f"{__file__}:Square"), "[1,2]")
