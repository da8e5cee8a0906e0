"""What other libraries' names are told to be written as."""

import re

import numpy as np
import pytest

import gradcli
from gradcli.shared import tensor_library_equivalents


def test_functions_of_numpy_are_there():
    for name in (*tensor_library_equivalents.OF_NUMPY, *tensor_library_equivalents.SAME):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'; NumPy's functions take tensors") as refusal:
            getattr(gradcli, name)
        for spelled in re.findall(r"np\.([\w.]+)", str(refusal.value)):
            found = np
            for part in spelled.split("."):
                found = getattr(found, part, None)
            assert found is not None, spelled


@pytest.mark.parametrize("name", tensor_library_equivalents.OF_GRADCLI)
def test_names_of_gradcli_are_there(name):
    with pytest.raises(AttributeError) as refusal:
        getattr(gradcli, name)
    for spelled in re.findall(r"gradcli\.(\w+)", str(refusal.value)):
        assert hasattr(gradcli, spelled)


def test_others_have_no_such_hint():
    with pytest.raises(AttributeError, match=r"^module 'gradcli' has no attribute 'nonsense'$"):
        _ = gradcli.nonsense


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("assign", r"write v\.assign\(y\) for the whole variable"),
        ("backward", r"tape\.gradient\(y, x\)"),
        ("detach", r"gradcli\.stop_gradient\(x\)"),
        ("requires_grad", r"tape\.watch\(x\)"),
        ("scatter_update", "create another one, or a gradcli.Variable"),
        ("tobytes", r"x\.numpy\(\) is an array$"),
    ],
)
def test_attributes_of_a_tensor(name, hint):
    with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{name}'; .*{hint}"):
        getattr(gradcli.constant(1.0), name)


def test_attributes_of_a_variable():
    with pytest.raises(AttributeError, match=r"'scatter_update'; write x\.assign\(y\)"):
        _ = gradcli.Variable(1.0).scatter_update
