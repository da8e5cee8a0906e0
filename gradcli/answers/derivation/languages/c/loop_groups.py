"""Loops of one length in groups, among statements that may change places where neither writes what the other uses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence

from gradcli.answers.derivation.languages.c.loop_tree import CArray, CLoop, Item, lines_in, rename
from gradcli.answers.derivation.languages.c.places import Access, Effects, accesses, effects

Places = Sequence[tuple[Access, str]]  # each with the variable of its loop
Rule = Callable[[Places, Places], bool]  # whether the parts of two loops may alternate, by their places in one variable
Suits = Callable[[Sequence[CLoop]], bool]  # whether loops are better in one group


class LoopGroup:
    """An item, or several loops, among the items of a block, with the groups that must come before it."""

    def __init__(self, item: Item, number: int) -> None:
        self.item = item
        self.loops = [item] if isinstance(item, CLoop) else []
        self.number = number
        self.effects: Effects = effects([item])
        self.before: set[LoopGroup] = set()

    def follows(self, other: LoopGroup) -> bool:
        """Whether another group must come before this one."""
        waiting, seen = [self], {self}
        while waiting:
            for group in waiting.pop().before - seen:
                if group is other:
                    return True
                seen.add(group)
                waiting.append(group)
        return False

    def join(self, group: LoopGroup) -> None:
        """Take the loop of another group, which gets the variable of the loops of this one."""
        loop = group.loops[0]
        rename(loop.body, loop.variable, self.loops[0].variable)
        loop.variable = self.loops[0].variable
        self.loops.append(loop)
        self.before |= group.before - {self}
        for name, places in effects([loop]).items():
            self.effects.setdefault(name, []).extend(places)


class NameUsers:
    """By name, the group that changed it last, and those that have read it since."""

    def __init__(self) -> None:
        self.changed: dict[str, list[LoopGroup]] = defaultdict(list)
        self.read: dict[str, list[LoopGroup]] = defaultdict(list)

    def since(self, name: str) -> list[LoopGroup]:
        """The groups that must come before a change."""
        return self.changed[name] + self.read[name]


def grouped(items: list[Item], rule: Rule, suits: Suits = lambda loops: True) -> list[tuple[Item, list[CLoop]]]:
    """The items of a block, those that are loops with the others of their group, in an order that keeps all results."""
    if sum(isinstance(item, CLoop) for item in items) < 2:
        return [(item, [item] if isinstance(item, CLoop) else []) for item in items]
    groups: list[LoopGroup] = []
    users = NameUsers()
    for number, item in enumerate(items):
        if not isinstance(item, CArray):
            _place(LoopGroup(item, number), groups, users, (rule, suits))
    arrays: list[tuple[Item, list[CLoop]]] = [(item, []) for item in items if isinstance(item, CArray)]
    return [*arrays, *((group.item, group.loops) for group in _in_order(groups))]


def _place(group: LoopGroup, groups: list[LoopGroup], users: NameUsers, rules: tuple[Rule, Suits]) -> None:
    """Add a group, or its loop to one of a group before it."""
    written = {name for name, places in group.effects.items() if any(place.kind for place in places)}
    for name in group.effects:
        group.before.update(users.since(name) if name in written else users.changed[name])
    host = next((other for other in groups if _can_join(other, group, rules)), None) if group.loops else None
    if host is None:
        groups.append(group)
        host = group
    else:
        host.join(group)
    for name in group.effects:
        if name in written:
            users.changed[name], users.read[name] = [host], []
        else:
            users.read[name].append(host)


def _can_join(host: LoopGroup, group: LoopGroup, rules: tuple[Rule, Suits]) -> bool:
    rule, suits = rules
    if not host.loops or not group.loops or host.loops[0].bound.text != group.loops[0].bound.text:
        return False
    for name in host.effects.keys() & group.effects.keys():
        one = [(place, host.loops[0].variable) for place in host.effects[name]]
        other = [(place, group.loops[0].variable) for place in group.effects[name]]
        if any(place.kind for place, _ in (*one, *other)) and not rule(one, other):
            return False
    if any(before is not host and before.follows(host) for before in group.before):
        return False
    return suits([*host.loops, *group.loops])


def is_of_one_iteration(one: Places, other: Places) -> bool:
    """Whether all places are those of the iteration along one axis: the rule for loops that become one."""
    return axis_of_iteration([*one, *other]) is not None


def axis_of_iteration(places: Places) -> int | None:
    """The axis along which all places are those of the iteration; None if there is none."""
    axes = range(min(len(place.at) for place, _ in places))
    return next((n for n in axes if all(place.at[n] == variable for place, variable in places)), None)


def own_arrays(loops: Sequence[CLoop], arrays: Collection[str], uses: Counter[str]) -> list[tuple[str, int]]:
    """The arrays that only these loops use, at the place of the iteration, and the axis of it.

    Args:
        loops: the loops.
        arrays: the names among which they are.
        uses: how often the function uses each name.
    """
    places = [(place, loop.variable) for loop in loops for line in lines_in(loop.body) for place in accesses(line.text)]
    counts = Counter(place.name for place, _ in places)
    names = [name for name in counts if name in arrays and counts[name] == uses[name]]
    axes = [axis_of_iteration([pair for pair in places if pair[0].name == name]) for name in names]
    return [(name, axis) for name, axis in zip(names, axes, strict=True) if axis is not None]


def _in_order(groups: list[LoopGroup]) -> list[LoopGroup]:
    """The groups, each after those that must come before it, and otherwise as they were."""
    done: list[LoopGroup] = []
    placed: set[LoopGroup] = set()

    def visit(group: LoopGroup) -> None:
        waiting = [group]
        while waiting:
            top = waiting[-1]
            missing = sorted(top.before - placed, key=lambda before: before.number)
            if missing:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if top not in placed:
                placed.add(top)
                done.append(top)

    for group in sorted(groups, key=lambda group: group.number):
        visit(group)
    return done
