"""Functions that a decorator has made: their `*args, **kwargs` as the parameters of the function that it wraps."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from gradcli.answers.derivation.syntax_trees import (
    NamesInUse,
    assign,
    located,
    name,
    names_in,
    nodes_in,
    stored_names,
)


def hand_on(tree: ast.FunctionDef, names: Sequence[str], given: Collection[str]) -> list[ast.arg]:
    """Give a definition the parameters that it gathers, and hand them on in place of `*args, **kwargs`.

    Args:
        tree: the definition, which is modified.
        names: the parameters of the wrapped function.
        given: those that get a value.

    Returns:
        The parameters that gather arguments still: if they are read otherwise, if `given` are not the first `names`, or
        if the definition reads a name of its surroundings that is one of them.
    """
    signature = tree.args
    gathering = [parameter for parameter in (signature.vararg, signature.kwarg) if parameter is not None]
    own = [parameter for parameter in names if parameter in given]
    if own != [*names[: len(own)]] or signature.vararg is None or len(own) < len(signature.args):
        return gathering
    if not _rename_others(tree, own):
        return gathering
    taken = own[len(signature.args) :]
    rest, options = signature.vararg.arg, getattr(signature.kwarg, "arg", None)
    for node in [node for node in nodes_in(tree) if isinstance(node, ast.Call)]:
        places = [n for n, part in enumerate(node.args) if isinstance(part, ast.Starred) and _is(part.value, rest)]
        for place in places[::-1]:
            node.args[place : place + 1] = map(name, taken)
        node.keywords = [part for part in node.keywords if part.arg or not _is(part.value, options)]
        located(node, tree)
    bound = [
        (made.arg, of_wrapped) for made, of_wrapped in zip(signature.args, own, strict=False) if made.arg != of_wrapped
    ]
    tree.body = [*(located(assign(made, name(of_wrapped)), tree) for made, of_wrapped in bound), *tree.body]
    signature.args = [*map(ast.arg, own)]
    return [parameter for parameter in gathering if parameter.arg in names_in(tree)]


def _rename_others(tree: ast.FunctionDef, own: Sequence[str]) -> bool:
    """Rename the variables of a definition that have the name of another parameter; False if it does not bind one."""
    same = {made.arg for made, of_wrapped in zip(tree.args.args, own, strict=False) if made.arg == of_wrapped}
    parameters = [node for node in nodes_in(tree) if isinstance(node, ast.arg)]
    used = names_in(tree) | {parameter.arg for parameter in parameters}
    fresh = NamesInUse(used.union(own)).fresh
    made = {clash: fresh(clash) for clash in sorted(used.intersection(own) - same)}
    for node in (*nodes_in(tree), *parameters):
        field = {ast.Name: "id", ast.arg: "arg"}.get(type(node))
        if field and getattr(node, field) in made:
            setattr(node, field, made[getattr(node, field)])
    return stored_names(tree).union(parameter.arg for parameter in parameters).issuperset(made.values())


def _is(node: ast.expr, own: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == own
