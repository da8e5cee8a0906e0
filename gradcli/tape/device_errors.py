"""Errors of a device's library, such as CuPy's, as errors of ours at the user's line."""

from __future__ import annotations

from gradcli import devices
from gradcli.code import stack_frames
from gradcli.errors import UserCodeError


class explained:
    """A sweep in which what a device's library raises is said in our words; a class, which costs less than a generator.

    Raises:
        UserCodeError: see `arrays.explain`.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            explain_device(error)


def explain_device(error: Exception) -> None:
    """Raise an error of ours, at the user's line, for one of a device's library; any other is left as it is."""
    try:
        devices.explain(error)
    except UserCodeError as ours:
        ours.__cause__ = error
        located(ours)
        raise


def located(error: UserCodeError) -> None:
    """Put the user's line into an error of ours."""
    for each in (error, error.__cause__):
        if each is not None and error.file is None and not error.frames:
            stack_frames.show_place(error, stack_frames.of_traceback(each.__traceback__))
