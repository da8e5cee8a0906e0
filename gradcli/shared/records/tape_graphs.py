"""A tape as a graph: every use of one node by another with its partial, and the program that stands beside it."""

from __future__ import annotations

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.explanations import Scope
from gradcli.shared.records.result_and_finding import Structure
from gradcli.shared.records.tapes import TapeListing


class NodeUse(Frozen):
    """One edge of the graph: node `used` is an argument of node `user`.

    Args:
        partial: the derivative of the user's value with respect to the argument: one number, or for arrays the smallest
            and the largest; None where it is a matrix, which has no short form.
        term: what the user adds to the sensitivity on the argument, in the names of the program; empty where nothing.
        amount: the same as numbers.
    """

    used: int
    user: int
    partial: tuple[float, ...] | None = None
    term: str = ""
    amount: Structure = None


class ProgramText(Frozen):
    """Lines of a program that nodes were made in: the functions that ran, or a typed expression, which has no file."""

    file: str | None
    first: int
    lines: tuple[str, ...]


class TapeGraph(TapeListing):
    """A tape with all that its picture shows.

    Args:
        uses: every edge.
        scopes: the calls, the loops and their iterations.
        within: by the index of a node, the index of the innermost scope that made it; None in what was run.
        program: the source of the functions that ran.
    """

    uses: tuple[NodeUse, ...] = ()
    scopes: tuple[Scope, ...] = ()
    within: tuple[int | None, ...] = ()
    program: tuple[ProgramText, ...] = ()
