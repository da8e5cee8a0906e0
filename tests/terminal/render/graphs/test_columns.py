"""Tall levels in columns: what is where, and by which way a line comes there."""

from functools import partial
from itertools import combinations

import pytest

from gradcli.terminal.render.graphs.columns import BOTTOM, TOP, Link, in_columns
from gradcli.terminal.render.graphs.placement import Area

Line = partial(Link, 0)
HEIGHT = 100.0


def level(count):
    """Boxes in one column, each 60 high, with a line from each to the next, and from above and below."""
    areas = {f"b{n}": Area(20.0, 20 + n * HEIGHT, 160.0, 60.0) for n in range(count)}
    ways = {Line(f"b{n}", f"b{n + 1}"): [(100.0, 80 + n * HEIGHT), (100.0, 120 + n * HEIGHT)] for n in range(count - 1)}
    ways |= {Line(TOP, "b0"): [(100.0, 0.0), (100.0, 20.0)]}
    ways |= {Line(TOP, f"b{count - 1}"): [(190.0, 0.0), (190.0, 500.0), (100.0, 20 + (count - 1) * HEIGHT)]}
    ways |= {Line("b0", BOTTOM): [(100.0, 80.0), (5.0, 200.0), (5.0, count * HEIGHT)]}
    return areas | {TOP: Area(0, 0, 1, 1), BOTTOM: Area(0, count * HEIGHT, 1, 1)}, ways, (200.0, count * HEIGHT)


def overlap(a, b):
    return (
        abs(a.middle[0] - b.middle[0]) < (a.width + b.width) / 2
        and abs(a.middle[1] - b.middle[1]) < (a.height + b.height) / 2
    )


@pytest.mark.parametrize("count", [5, 11])
def test_a_level_that_is_not_tall_stays(count):
    areas, ways, size = level(count)

    assert in_columns(areas, ways, size, (15.0, 12.0)) == (areas, ways, size)


@pytest.mark.parametrize("count", [13, 50, 150])
def test_a_tall_level_is_about_as_wide_as_high(count):
    areas, ways, size = level(count)
    placed, routed, (width, height) = in_columns(areas, ways, size, (15.0, 12.0))
    boxes = [placed[f"b{n}"] for n in range(count)]

    assert 0.7 < width / height < 3
    assert not any(overlap(a, b) for a, b in combinations(boxes, 2))
    assert all(
        0 <= box.x and box.x + box.width <= width and 15 <= box.y and box.y + box.height <= height for box in boxes
    )
    assert [(box.x, box.y) for box in boxes] == sorted((box.x, box.y) for box in boxes)
    assert all(0 <= x <= width + 60 and 0 <= y <= height for way in routed.values() for x, y in way)


def test_lines_meet_their_boxes_and_pass_beside_the_others():
    areas, ways, size = level(50)
    placed, routed, (_, height) = in_columns(areas, ways, size, (15.0, 12.0))

    for n in range(49):
        tail, head, way = placed[f"b{n}"], placed[f"b{n + 1}"], routed[Line(f"b{n}", f"b{n + 1}")]
        assert way[0] == (tail.middle[0], tail.y + tail.height)
        assert way[-1] == (head.middle[0], head.y)
    last = placed["b49"]
    assert routed[Line(TOP, "b49")][0][1] == 0.0
    assert routed[Line(TOP, "b49")][-1] == (last.middle[0], last.y)
    assert routed[Line("b0", BOTTOM)][-1][1] == height
