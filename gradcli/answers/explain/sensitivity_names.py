"""The names of sensitivities and tangents, unique in a run."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.answers.explain.numpy_names_and_constants import PLAIN_NAME, stems


class Symbols:
    """Names made from those of the quantities: `s_cd` for `t_cd`, `s_x` for `x`, `s_(x^2)` for a formula.

    If another quantity, or its sensitivity, already has the name, a further underscore is added, or the prefix `t_` is
    kept: the sensitivities to `a`, `s_a` and `t_a` are `s__a`, `s_s_a` and `s_t_a`.

    Args:
        letter: `s` for sensitivities, `d` for tangents.
        names: the names of the quantities.
    """

    def __init__(self, letter: str, names: Iterable[str]) -> None:
        self.letter = letter
        theirs = list(dict.fromkeys(stems(names)))
        self.stems: dict[str, str] = {}
        taken = set(theirs)
        for stem in sorted(theirs, key=_is_prefixed):  # names that lose their prefix come last
            self.stems[stem] = name = next(name for name in self._candidates(stem) if name not in taken)
            taken.add(name)

    def _candidates(self, stem: str) -> Iterable[str]:
        if _is_prefixed(stem):
            yield f"{self.letter}_{stem[2:]}"
        for count in range(1, 100):
            yield self.letter + "_" * count + stem

    def of(self, name: str) -> str:
        """The name of the sensitivity to a quantity, or of its tangent."""
        match = PLAIN_NAME.fullmatch(name)
        if match is None:
            return f"{self.letter}_({name})"
        return self.stems.get(match[1], f"{self.letter}_{match[1]}") + name[match.end(1) :]


def _is_prefixed(stem: str) -> bool:
    return stem.startswith("t_") and len(stem) > 2
