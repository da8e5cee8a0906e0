"""Forward mode: the Jacobian-vector product, and the Jacobian by columns."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.answers.derivation.file_text import Part, body_of, docstring_text, list_text
from gradcli.answers.derivation.passes.tangents import Tangents
from gradcli.answers.derivation.passes.zeros_and_sums import zero_of
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.reverse_mode import Derivation
from gradcli.answers.derivation.syntax_trees import NamesInUse, name, text_of


class DirectionalDerivation(Derivation):
    """The derivation of one function in forward mode, whose result may be a number, an array or a list."""

    calls_pairs = False

    def forward(self, *, with_value: bool = False) -> str:
        """The text of the file with the Jacobian-vector product.

        Raises:
            UnsupportedError: a construct cannot be derived; the message names it and its line.
        """
        return self.file(self._parts(with_value))

    def jacobian(self, called: str, what: str) -> str:
        """The text of the file with the Jacobian, which has one column per number of the inputs.

        Args:
            called: the name of the function.
            what: the first sentence of its docstring.

        Raises:
            UnsupportedError: a construct cannot be derived; the message names it and its line.
        """
        active = self.wanted()
        lines = [line for parameter in active for line in self._columns(parameter, active)]
        lines.append(f"return {', '.join(f'by_{parameter}' for parameter in active)}")
        more = "Each column is the tangent of the result along one number of the input."
        docstring = docstring_text(what, more)
        own = Part(called, self.user, self.signature(), docstring, body_of(lines))
        return self.file([*self._parts(with_value=False), own])

    def _parts(self, with_value: bool) -> list[Part]:
        self.reserved = self.user.name  # its product returns the tangent alone
        routine, _ = self.routine(self.user, self.wanted())
        tangents = Tangents(routine, self.called)
        body = [*self.entry(routine), *tangents.body(with_value=with_value)]
        directions = [tangents.d(parameter) for parameter in routine.active]
        what = "The value of {}, and how fast it changes" if with_value else "How fast the value of {} changes"
        more = "d_x is the tangent of x: how fast x changes along the way."
        docstring = docstring_text(f"{what.format(self.named())} along {list_text(directions)}", more)
        parameters = ", ".join([*routine.parameters, *directions])
        return [*self._companions(), Part(f"jvp_{self.user.name}", self.user, parameters, docstring, body)]

    def _companions(self) -> list[Part]:
        """The called functions, each with its tangent."""
        parts: list[Part] = []
        for called, user in self.called_functions():
            tangents = Tangents(self.routine(user, self.active(user))[0], self.called)
            body = tangents.body(with_value=True)
            docstring = [f"The value of {user.name} and its tangent."]
            parts.append(Part(f"jvp_{called}", user, ", ".join(tangents.parameters), docstring, body))
        return parts

    def _columns(self, wanted: str, active: Sequence[str]) -> list[str]:
        """The lines that compute the derivatives with respect to one input."""
        columns, index, moved = map(NamesInUse(self.user.parameters).fresh, ("columns", "k", "d"))
        kind = self.kind_of_input(wanted)
        direction = "1.0" if kind.name == "number" else moved
        given = [
            *self.user.parameters,
            *(direction if parameter == wanted else self._zero(parameter) for parameter in active),
        ]
        call = f"jvp_{self.user.name}({', '.join(given)})"
        if kind.name == "number":
            return [f"by_{wanted} = {call}"]
        if kind.name == "record" or (kind.name == "list" and (kind.item is None or kind.item.name != "number")):
            raise refusal_at(self.user.file, self.user.tree, f"the Jacobian by {wanted}, a {kind}")
        size, place = ("np.size", f"{moved}.flat[{index}]") if kind.name == "array" else ("len", f"{moved}[{index}]")
        stacked = f"np.stack({columns}, axis=-1).reshape(np.shape({columns}[0]) + np.shape({wanted}))"
        return [
            f"{columns} = []",
            f"for {index} in range({size}({wanted})):",
            f"    {moved} = {self._zero(wanted)}",
            f"    {place} = 1.0",
            f"    {columns}.append({call})",
            f"by_{wanted} = {stacked}",
        ]

    def _zero(self, parameter: str) -> str:
        """A zero tangent for an input, which may be a list where an array is expected."""
        kind = self.kind_of_input(parameter)
        if kind.name == "array":
            return f"np.zeros(np.shape({parameter}))"
        return text_of(zero_of(kind, name(parameter)))
