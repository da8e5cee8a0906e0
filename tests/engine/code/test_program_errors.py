"""Tests of the errors that the user's program may raise where gradcli runs it."""

import signal
import sys

import pytest

from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.tape.concretization_errors import Leak


class OwnError(BaseException):
    """An error of the program that is no Exception."""


@pytest.fixture(autouse=True)
def python_hears_interrupts():
    """Also where the tests were started in the background, with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def is_caught(run):
    """Whether a clause catches what a program raises."""
    try:
        run()
    except program_errors():
        return True
    return False


def raising(error):
    raise error


def raising_again():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise OwnError from error


def interrupted():
    signal.raise_signal(signal.SIGINT)


def interrupted_and_raising():
    try:
        interrupted()
    except KeyboardInterrupt:
        raise OwnError from None


def interrupted_and_raising_again():
    try:
        interrupted()
    except KeyboardInterrupt:
        raise


@pytest.mark.parametrize(
    "run",
    [
        *(lambda error=error: raising(error) for error in (ValueError, KeyboardInterrupt, GeneratorExit, OwnError)),
        lambda: sys.exit(3),
        raising_again,
    ],
)
def test_what_a_program_raises_is_caught(run):
    assert is_caught(run)


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (interrupted, KeyboardInterrupt),
        (interrupted_and_raising, OwnError),
        (interrupted_and_raising_again, KeyboardInterrupt),
        (lambda: raising(Leak("is read", [])), Leak),
    ],
)
def test_an_interrupt_is_not_caught(run, error):
    with pytest.raises(error):
        is_caught(run)


def test_an_interrupt_that_a_handler_raises_is_not_caught():
    def handler(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            is_caught(interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
