"""The corpus: claims about derivatives, right ones in hard places, wrong ones in easy places, and what is neither."""

from importlib import import_module

from tests.corpus.claim import NAMED, OVERALL, Claim

MODULES = """
    scales chaos minima bends ties islands singular programs arrays byhand untaped triangles read_triangles
    kept_state declared contradictions outcomes flats rounding texts compiled_code dropped_parts flat_points
    spectra norms compositions hidden odd_questions order_statistics containers type_branches searched_values
    compiled_kinks equal_spectra composed_kinks lost_digits loops smoothed_kinks bent_slopes hessians
    opaque_hessians rebuilt_spectra far_scales shown_by_differences ended_loops medians switched
""".split()
CLAIMS: list[Claim] = [claim for name in MODULES for claim in import_module(f"{__name__}.{name}").CLAIMS]

__all__ = ["CLAIMS", "NAMED", "OVERALL", "Claim"]
