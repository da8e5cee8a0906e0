"""The corpus: claims about gradients, right ones in hard places, wrong ones in easy places, and what is neither."""

from tests.corpus import (
    arrays,
    bends,
    byhand,
    chaos,
    compiled_code,
    contradictions,
    declared,
    dropped_parts,
    flat_points,
    flats,
    islands,
    kept_state,
    minima,
    outcomes,
    programs,
    read_triangles,
    rounding,
    scales,
    singular,
    texts,
    ties,
    triangles,
    untaped,
)
from tests.corpus.claim import NAMED, OVERALL, Claim

MODULES = (
    scales,
    chaos,
    minima,
    bends,
    ties,
    islands,
    singular,
    programs,
    arrays,
    byhand,
    untaped,
    triangles,
    read_triangles,
    kept_state,
    declared,
    contradictions,
    outcomes,
    flats,
    rounding,
    texts,
    compiled_code,
    dropped_parts,
    flat_points,
)
CLAIMS: list[Claim] = [claim for module in MODULES for claim in module.CLAIMS]

__all__ = ["CLAIMS", "NAMED", "OVERALL", "Claim"]
