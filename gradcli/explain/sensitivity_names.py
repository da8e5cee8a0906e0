"""What the sensitivities and the tangents of a run's quantities are called: no two names of a run are alike."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.explain.numpy_spelling import PLAIN_NAME, stems


class Symbols:
    """Names made of the quantities' own: `s_cd` for `t_cd`, `s_x` for `x`, `s_(x^2)` for a formula.

    A name that another quantity has, or whose sensitivity would be called the same, gets a further underscore or keeps
    its `t_`: of `a`, `s_a` and `t_a` the sensitivities are `s__a`, `s_s_a` and `s_t_a`.

    Args:
        letter: `s` for sensitivities, `d` for tangents.
        names: what the quantities are called.
    """

    def __init__(self, letter: str, names: Iterable[str]) -> None:
        self.letter = letter
        theirs = list(dict.fromkeys(stems(names)))
        self.stems: dict[str, str] = {}
        taken = set(theirs)
        for stem in sorted(theirs, key=_is_prefixed):  # those that lose a letter come last
            self.stems[stem] = name = next(name for name in self._candidates(stem) if name not in taken)
            taken.add(name)

    def _candidates(self, stem: str) -> Iterable[str]:
        if _is_prefixed(stem):
            yield f"{self.letter}_{stem[2:]}"
        for count in range(1, 100):
            yield self.letter + "_" * count + stem

    def of(self, name: str) -> str:
        """What the sensitivity on a quantity, or its tangent, is called."""
        found = PLAIN_NAME.fullmatch(name)
        if found is None:
            return f"{self.letter}_({name})"
        return self.stems.get(found[1], f"{self.letter}_{found[1]}") + name[found.end(1) :]


def _is_prefixed(stem: str) -> bool:
    return stem.startswith("t_") and len(stem) > 2
