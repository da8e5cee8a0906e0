"""Floating-point errors are ignored for a while, and never for longer."""

import numpy as np
import pytest

from gradcli.shared.float_errors import ignored_float_errors


def test_errors_are_ignored_inside():
    before = np.geterr()
    with ignored_float_errors():
        assert set(np.geterr().values()) == {"ignore"}

    assert before == np.geterr()


def interrupted_entry(self):
    """Change the setting, and do not come to note how it was."""
    np.seterr(all="ignore")
    raise KeyboardInterrupt


def interrupted_exit(self, *raised, leave=np.errstate.__exit__):
    """Restore the setting, and do not come to the end."""
    leave(self, *raised)
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "method", [{"__enter__": interrupted_entry}, {"__exit__": interrupted_exit}], ids=["entry", "exit"]
)
def test_an_interrupt_in_numpy_leaves_nothing(method, monkeypatch):
    """Ctrl-C may arrive between any two steps of `errstate`."""
    monkeypatch.setattr(np, "errstate", type("Interrupted", (np.errstate,), method))
    before = np.geterr()
    with pytest.raises(KeyboardInterrupt), ignored_float_errors():
        pass

    assert before == np.geterr()
