"""The derivation of a function in reverse mode: it is observed, lowered, and its gradient assembled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from gradcli.answers.derivation.file_text import Part, body_of, docstring_text, file_text, list_text
from gradcli.answers.derivation.formatted_statements import literal
from gradcli.answers.derivation.gradient_assembly import Assembly
from gradcli.answers.derivation.intermediate.aliases import CalledFunction, check_aliases
from gradcli.answers.derivation.intermediate.context import LoweringContext
from gradcli.answers.derivation.intermediate.lowering import lowered
from gradcli.answers.derivation.intermediate.statements import Routine
from gradcli.answers.derivation.languages.python_program import PythonProgram
from gradcli.answers.derivation.own_derivatives import own_pair, refusal
from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.reading.activity_analysis import Dependence
from gradcli.answers.derivation.reading.constant_expressions import ConstantExpressions
from gradcli.answers.derivation.reading.decided_branches import DecidedBranches
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.reading.one_kind_names import split_names
from gradcli.answers.derivation.reading.records_as_dicts import RecordsAsDicts
from gradcli.answers.derivation.reading.value_kind import NUMBER, STATIC, ValueKind, fields_of, kind_of
from gradcli.answers.derivation.reading.written_arguments import KnownEffects, Updated
from gradcli.answers.derivation.refusals import input_refusal, refusal_at
from gradcli.answers.derivation.syntax_trees import bound_values, nodes_in, owner_of
from gradcli.answers.derivation.trial_points import nearby_points, points_around
from gradcli.answers.derivation.verification import shown
from gradcli.errors import ResultError, origin, with_article
from gradcli.methods.transforms.custom_functions import CustomFunction, CustomJvp, CustomVjp
from gradcli.shared.frozen_record import Frozen

SENSITIVITY = (
    "s_x is the sensitivity of the result to x: how much the result changes when x does, relative to that change."
)


class DerivationTask(Frozen, eq=False):
    """What a program is derived from.

    Attributes:
        function: the user's function.
        point: a value for each parameter that has no default.
        command: the command to write into the file.
        title: the name of the function in docstrings, if it has no place in a file.
        inputs: the parameters to differentiate with respect to; by default those of the point.
        sizes: points with other sizes at which the function is observed too.
        inlines: whether the statements of called functions stand at their calls.
        keeps_sizes: whether the program serves the sizes of the point alone, so that it is run at few others.
    """

    function: Callable[..., Any]
    point: dict[str, Any]
    command: str
    title: str | None
    inputs: tuple[str, ...]
    sizes: Sequence[list[Any]] = ()
    inlines: bool = False
    keeps_sizes: bool = False


class Derivation:
    """The derivation of one function.

    Attributes:
        points: the points of the runs, the given one first.
        parts: the functions of the file that was written last.
        reserved: the name that no called function may have in the file.
        sensitivities, kinds: for each variable of the gradient, the name of its sensitivity, and its kind.
        calls_pairs: whether a called function is a forward and a reverse function in the file.
    """

    calls_pairs = True

    def __init__(self, task: DerivationTask) -> None:
        self.task = task
        self.inputs = task.inputs or tuple(task.point)
        known = KnownEffects({}, {}, {}, {})
        while True:
            try:
                self._observe(known._replace(effects={}, constants={}))
            except Updated:
                continue
            break
        constants = ConstantExpressions(self.observation)
        for observed in self.observation.users:
            self._refuse_own_derivative(observed)
            DecidedBranches(observed, constants, handles=not task.inlines, keeps_sizes=task.keeps_sizes)
            if observed is not self.user:
                observed.refuse_other_values()
            RecordsAsDicts(observed, self.observation)
            split_names(observed, self.observation, by_size=task.inlines)
        self.taken = {name for user in self.observation.users for name in user.names}
        self.users: dict[str, UserFunction] = {}
        self.reserved = ""
        self.parts: Sequence[Part] = ()
        self.sensitivities: dict[str, str] = {}
        self.kinds: dict[str, ValueKind] = {}

    def _refuse_own_derivative(self, user: UserFunction) -> None:
        """Refuse a function with a derivative of its own that cannot be called in the file."""
        if not isinstance(user.callee, CustomFunction):
            return
        user.callee.require_derivative()
        if not isinstance(user.callee, CustomVjp | CustomJvp):
            raise refusal(user, "Give it a rule by gradcli.custom_vjp. Reverse mode in Python calls that.")
        if self.task.inlines or not self.calls_pairs:
            raise refusal(user, "Reverse mode in Python calls that.")
        has_arrays = "array" in {kind.name for kind in self._kinds(user).values()}
        if self.task.keeps_sizes and has_arrays and isinstance(user.callee, CustomJvp):
            raise refusal(user, "The eager gradient does not call it for each number.")

    def _kinds(self, user: UserFunction) -> dict[str, ValueKind]:
        """The kinds of a function's parameters, and of what it returns by "return"."""
        returned = [("return", node.value) for node in ast.walk(user.tree) if isinstance(node, ast.Return)]
        nodes = [*user.arguments.items(), *returned]
        return {name: self.observation.kind(node) for name, node in nodes if node is not None}

    def _observe(self, known: KnownEffects) -> None:
        """Read the function and run it at the points."""
        self.user = UserFunction(self.task.function, given=self.task.point, known=known)
        self.observation = Observation(self.user)
        ordered = self._ordered(self.task.point)
        self.observation.run(ordered)
        nearby = islice(nearby_points(ordered), 3 if self.observation.has_conditions else 1)
        others = nearby if self.task.keeps_sizes else points_around(ordered)[1:]
        self.points = [ordered, *self.observation.explore([*others, *self.task.sizes])]
        if any(map(self._is_of_one_path, self.observation.users)):
            self.observation.force_paths()

    def _is_of_one_path(self, user: UserFunction) -> bool:
        """Whether a name that may carry a derivative was seen somewhere without one, as on the paths that were run."""
        names = Dependence(user, self.observation, self.active(user)).names
        places = (ast.Name, ast.Subscript, ast.Attribute)
        nodes = [node for node in nodes_in(user.tree) if isinstance(node, places) and owner_of(node) in names]
        kinds = [kind for node in nodes if (kind := self.observation.of(node).kind) is not None]
        kinds += [kind_of(value.value) for value in bound_values(user.tree, names) if isinstance(value, ast.Constant)]
        return any(not kind.is_real and kind.name in ("static", "list") for kind in kinds)

    def _ordered(self, arguments: dict[str, Any]) -> list[Any]:
        """The values of all parameters, with defaults for those that the point leaves out."""
        for argument in arguments:
            if argument not in self.user.parameters:
                raise refusal_at(self.user.file, self.user.tree, f"the input {argument}, which is no plain parameter")
        values = {**self.user.defaults, **arguments}
        missing = [parameter for parameter in self.user.parameters if parameter not in values]
        if missing:
            raise refusal_at(self.user.file, self.user.tree, f"a value for {missing[0]}")
        return [values[parameter] for parameter in self.user.parameters]

    @property
    def places(self) -> tuple[int, ...]:
        """The positions of the inputs among the parameters."""
        return tuple(self.user.parameters.index(input_) for input_ in self.inputs)

    def active(self, user: UserFunction) -> tuple[str, ...]:
        """The parameters of a function that can carry a derivative."""
        return tuple(name for name, node in user.arguments.items() if self.observation.kind(node).is_real)

    def routine(self, user: UserFunction, active: tuple[str, ...]) -> tuple[Routine, LoweringContext]:
        """A function in the intermediate form."""
        routine, context = lowered(user, self.observation, active, self.register, inlines=self.task.inlines)
        called = {name: self._called(function) for name, function in self.users.items()}
        check_aliases(routine, user.file, called, held=() if user is self.user else user.held)
        return routine, context

    def _called(self, user: UserFunction) -> CalledFunction:
        parameters = [*enumerate(self.observation.parameters(user))]
        returned, written = (
            [n for n, name in parameters if name in names] for names in (user.returned, user.effects.written)
        )
        return CalledFunction(returned, written, user.shared)

    def register(self, user: UserFunction) -> tuple[str, tuple[str, ...]]:
        """The name of a function in the file, and its parameters that carry a derivative.

        Lowering calls it for each function that a routine calls, which thereby becomes one of `called_functions`.
        """
        active = self.active(user)
        for name, known in self.users.items():
            if known is user:
                return name, active
        name = user.name
        while name in self.users or name == self.reserved:
            name += "_"
        self.users[name] = user
        return name, active

    def called(self, name: str) -> tuple[str, ...]:
        """The parameters of a routine, with an empty string for those without a derivative."""
        user = self.users[name]
        active = self.active(user)
        return tuple(parameter if parameter in active else "" for parameter in self.observation.parameters(user))

    def wanted(self) -> tuple[str, ...]:
        """The inputs, all of which can carry a derivative."""
        active = tuple(variable for variable in self.active(self.user) if variable in self.inputs)
        for input_ in self.inputs:
            if input_ not in active or "mixed" in str(self.kind_of_input(input_)):
                point = dict(zip(self.user.parameters, self.points[0], strict=True))
                raise input_refusal(self.user.file, self.user.tree, self.user.name, input_, point)
        return active

    def gradient(self, *, with_value: bool = False, on_vectors: bool = False) -> str:
        """The text of the file with the gradient.

        Raises:
            UnsupportedError: a construct cannot be derived; the message names it and its line.
            ResultError: the result is not a number.
        """
        active = self.wanted()
        routine, context = self.routine(self.user, active)
        if routine.result_kind.name != "number":
            raise self._of_no_number(routine.result_kind)
        assembly = Assembly(routine, context.fresh, self.called)
        self.sensitivities, self.kinds = assembly.reverse.symbols, routine.kinds
        body = [*self.entry(routine), *assembly.gradient(with_value=with_value)]
        name = f"grad_{self.user.name}"
        parts = [*self._pairs(), Part(name, self.user, self.signature(), self._docstring(with_value), body)]
        return self.file([*parts, *([self._on_vectors(name, with_value)] if on_vectors else [])])

    def _of_no_number(self, kind: ValueKind) -> ResultError:
        what = f"{with_article(str(kind))}, and a gradient is of one number"
        hint = "--jacobian derives the matrix of a function with many results."
        if kind == STATIC:
            what = f"an integer or a truth value at {shown(self.points[0])}, which depends on no input"
            hint = "Choose a point at which the result is a number that depends on an input."
        error = ResultError(f"{self.task.title or self.user.name} returns {what}", hint=hint)
        if self.task.title is None:
            error.file, error.line = self.user.file, self.user.tree.lineno
        return error

    def entry(self, routine: Routine) -> Statements:
        """Assertions on the arguments of a derived function: the number of axes of arrays, and that inputs hold floats.

        Sensitivities have the dtype of their variable, so those of integer arrays would lose their fractions.
        """
        kinds = {parameter: self.kind_of_input(parameter) for parameter in self.user.parameters}
        ranks = {
            variable: kind
            for variable, kind in kinds.items()
            if kind.name == "array" and routine.kinds.get(variable) == kind
        }
        lines = [
            f'assert {variable}.ndim == {kind.rank}, "{variable} is an {kind}"' for variable, kind in ranks.items()
        ]
        floats = [rank for rank in ranks if rank in self.inputs]
        lines += [f'assert {float_}.dtype.kind in "fc", "{float_} holds floats"' for float_ in floats]
        values = dict(zip(self.user.parameters, self.points[0], strict=True))
        objects = [name for name, value in values.items() if fields_of(value) not in (None, value)]
        lines += [f"{name} = {opened(name, values[name])}" for name in objects]
        return body_of(lines) if lines else []

    def _on_vectors(self, name: str, with_value: bool) -> Part:
        """The gradient as a function of one vector, for optimisers."""
        kinds = [self.kind_of_input(input_) for input_ in self.inputs]
        is_vector = len(kinds) == 1 and (kinds[0].rank == 1 or kinds[0].item == NUMBER)
        given = "vector" if is_vector else "*vector"
        if self.inputs != self.user.parameters or not (is_vector or all(kind == NUMBER for kind in kinds)):
            named = [f"{name} is {with_article(str(kind))}" for name, kind in zip(self.inputs, kinds, strict=True)]
            what = f"one vector for inputs other than numbers alone or one array: {', '.join(named)}"
            call = f"calls {self.user.name} with its parts, such as {self.user.name}(v[:2], v[2:])"
            hint = f"Derive a function of one array v that {call}, or leave out --vector."
            raise refusal_at(self.user.file, self.user.tree, what, hint, runs=False)
        lines = [f"return np.array({name}({given}))"]
        if with_value:
            lines = [f"value, slopes = {name}({given})", "return value, np.array(slopes)"]
        body = body_of(lines)
        docstring = [f"The same of a vector of {list_text(self.inputs)}, as an array."]
        return Part(f"{name}_of_vector", self.user, "vector", docstring, body)

    def kind_of_input(self, parameter: str) -> ValueKind:
        """The kind of a parameter, as observed."""
        return self.observation.kind(self.user.arguments[parameter])

    def _pairs(self) -> list[Part]:
        """The called functions, each as a forward and a reverse function."""
        parts: list[Part] = []
        for name, user in self.called_functions():
            if isinstance(user.callee, CustomFunction):
                parts += own_pair(name, user, self._kinds(user), [*filter(None, self.called(name))])
                continue
            routine, context = self.routine(user, self.active(user))
            assembly = Assembly(routine, context.fresh, self.called)
            forward, backward = assembly.pair()
            given = ", ".join(routine.parameters)
            result = assembly.reverse.symbols.get(routine.result, "_")
            docstring = [f"The value of {user.name}, and what backward_{user.name} needs of its run."]
            parts.append(Part(f"forward_{name}", user, given, docstring, forward))
            docstring = [f"The sensitivities to {list_text(routine.active)}, from that to the value of {user.name}."]
            parts.append(Part(f"backward_{name}", user, f"{assembly.kept}, {result}", docstring, backward))
        return parts

    def called_functions(self) -> Iterator[tuple[str, UserFunction]]:
        """The functions that are derived too, with their names in the file; deriving one may add others."""
        done: set[str] = set()
        while waiting := [name for name in self.users if name not in done]:
            done.add(waiting[0])
            yield waiting[0], self.users[waiting[0]]

    def signature(self) -> str:
        """The parameters with their defaults."""
        texts = []
        for parameter in self.user.parameters:
            if parameter in self.user.defaults:
                text = literal(self.user.defaults[parameter])
                if text is None:
                    raise refusal_at(self.user.file, self.user.tree, f"the default of {parameter}")
                texts.append(f"{parameter}={text}")
            else:
                texts.append(parameter)
        return ", ".join(texts)

    def named(self) -> str:
        """The name and place of the function."""
        if self.task.title is not None:
            return self.task.title
        return f"{self.user.name} ({origin(self.user.file, self.user.tree.lineno)})"

    def _docstring(self, with_value: bool) -> list[str]:
        what = "The value and the gradient" if with_value else "The gradient"
        return docstring_text(f"{what} of {self.named()} by {list_text(self.inputs)}", SENSITIVITY)

    def file(self, parts: Sequence[Part]) -> str:
        """The text of a file with these functions."""
        self.parts = parts
        return file_text(self.task.command, parts)

    def program(self, name: str, text: str, mode: str, *, value: bool) -> PythonProgram:
        """The program whose text was written last."""
        arguments = dict(zip(self.user.parameters, self.points[0], strict=True))
        return PythonProgram(
            name, text, self.parts, arguments, tuple(self.task.point), self.inputs, self.points, self.task.command,
            mode, value, self.sensitivities, self.kinds,
        )  # fmt: skip


def opened(text: str, value: Any) -> str:
    """The text of an object's fields as a dict, with those of the objects in it."""
    held = fields_of(value)
    if held is None or held is value:
        return text
    return "{" + ", ".join(f'"{key}": {opened(f"{text}.{key}", item)}' for key, item in held.items()) + "}"
