"""The samples of a plot."""

import pytest

from gradcli import queries
from gradcli.errors import Exit, UserCodeError


@pytest.mark.parametrize("query", ["curve", "differences"])
@pytest.mark.parametrize("only_elsewhere", [False, True])
def test_a_plot_ends_when_memory_runs_out(tmp_path, query, only_elsewhere):
    path = tmp_path / "m.py"
    path.write_text(f"def f(x):\n    if not ({only_elsewhere} and x == 2):\n        raise MemoryError\n    return x\n")

    with pytest.raises(UserCodeError, match="MemoryError in f") as caught:
        getattr(queries, query)(f"{path}:f", "2")

    assert Exit.USER_CODE == caught.value.exit
