"""SciPy for the rules: its functions are called on plain numbers."""

from decimal import Decimal

import numpy as np
import pytest

from gradcli.mathematics.rules.lazy_scipy import SCIPY

DECIMALS = np.array([[Decimal(2), Decimal("0.5")], [Decimal("0.5"), Decimal(3)]], dtype=object)


@pytest.mark.parametrize("name", ["expm", "sqrtm", "solve_triangular", "lu_factor", "cholesky"])
def test_decimals_are_not_rounded(name):
    """Not to float64 without a word, as some functions do, nor with a warning, as others do."""
    pytest.importorskip("scipy")

    with pytest.raises(TypeError, match=f"scipy.linalg.{name} takes no array of objects"):
        getattr(SCIPY.linalg, name)(DECIMALS)
