"""The public names: there, lazy, and named as the field names them."""

import inspect
import re
import subprocess
import sys

import pytest

import gradcli


def test_every_public_name_is_there():
    assert [name for name in gradcli.__all__ if getattr(gradcli, name) is None] == []
    assert set(gradcli.__all__) <= set(dir(gradcli))


@pytest.mark.parametrize("name", [n for n in gradcli.__all__ if inspect.isroutine(getattr(gradcli, n))])
def test_every_public_function_says_what_it_does(name):
    function = getattr(gradcli, name)
    assert inspect.getdoc(function)
    assert inspect.signature(function)


def test_what_the_design_promises():
    """The names of DESIGN section 4 that stand already."""
    promised = (
        "grad value_and_grad elementwise_grad jacobian hessian jvp vjp hvp trace check assert_grad stop_gradient rule"
        " custom_vjp custom_jvp opaque derive Variable constant cast GradientTape Trace FindingWarning GradcliError"
    )
    assert set(promised.split()) - set(gradcli.__all__) == set()


def test_modules_that_are_meant_to_be_modules():
    assert gradcli.numpy.__name__ == "gradcli.numpy"
    assert gradcli.queries.__name__ == "gradcli.queries"


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'gradcli' has no attribute 'gradient'"):
        gradcli.gradient


def test_the_trace_that_trace_returns():
    """`trace` gives a `Trace`, with the attributes that the design names."""
    tape = gradcli.trace(lambda x: x * x, 3.0)

    assert isinstance(tape, gradcli.Trace)
    assert (9.0, 2, (), [6.0, 1.0], 16.0) == (
        tape.value,
        len(tape.nodes),
        tape.outcomes,
        tape.sensitivities(),
        tape.replay(4.0).value,
    )


def test_every_error_is_one_of_ours():
    from gradcli import errors

    ours = [each for each in vars(errors).values() if inspect.isclass(each) and each.__module__ == errors.__name__]
    for each in ours:
        if issubclass(each, Exception) and not issubclass(each, Warning):
            assert issubclass(each, gradcli.GradcliError)
    assert issubclass(errors.UsageError, ValueError)
    assert issubclass(errors.DetachedError, TypeError)


def test_importing_the_package_imports_nothing_else():
    """The names are lazy: not even NumPy comes before the first of them is used."""
    code = "import sys, gradcli; print(sorted({'numpy', 'sympy', 'click', 'rich', 'scipy'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("value_and_gradient", "did you mean value_and_grad"),
        ("hesian", "did you mean hessian"),
    ],
)
def test_a_misspelt_name_leads_to_ours(name, hint):
    """The error says what to write, and the function that it names exists."""
    with pytest.raises(AttributeError, match=hint) as raised:
        getattr(gradcli, name)
    assert all(hasattr(gradcli, word) for word in re.findall(r"gradcli\.(\w+)", str(raised.value)))


@pytest.mark.parametrize("transform", ["grad", "value_and_grad", "jacobian", "hessian", "elementwise_grad"])
def test_a_wrong_keyword_leads_to_the_right_one(transform):
    with pytest.raises(TypeError, match=rf"gradcli\.{transform} has no argument 'argnum'; write argnums="):
        getattr(gradcli, transform)(abs, argnum=0)
    with pytest.raises(TypeError, match="it has f, argnums"):
        getattr(gradcli, transform)(abs, wrt=0)


def test_only_public_names_are_listed():
    assert dir(gradcli) == sorted((*gradcli.__all__, "__version__"))
