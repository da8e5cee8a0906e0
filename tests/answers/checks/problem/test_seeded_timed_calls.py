"""Guarded calls: the stream that counts what the user's code prints."""

import io

from gradcli.answers.checks.problem.seeded_timed_calls import Lines


def test_lines_are_counted_and_passed_on():
    stream = io.StringIO()
    lines = Lines(stream)
    print("a\nb", file=lines)
    print("c", end="", file=lines)

    assert (lines.count, stream.getvalue()) == (2, "a\nb\nc")


def test_a_closed_stream_below():
    """The user's code has closed it; Python closes the stream above when it is no longer used, and no error is lost."""
    stream = io.StringIO()
    lines = Lines(stream)
    stream.close()

    assert lines.close() is None
