"""Errors of a device's library, such as CuPy, translated to gradcli's errors at the user's line."""

from __future__ import annotations

from gradcli.engine.code import stack_frames
from gradcli.errors import UserCodeError
from gradcli.shared import devices


class explained:
    """A context in which errors of a device's library are translated. A class, as it costs less than a generator.

    Raises:
        UserCodeError: see `devices.explain`.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            explain_device(error)


def explain_device(error: Exception) -> None:
    """Raise gradcli's error, with the user's line, for an error of a device's library. Return for any other error."""
    try:
        devices.explain(error)
    except UserCodeError as ours:
        ours.__cause__ = error
        located(ours)
        raise


def located(error: UserCodeError) -> None:
    """Add the user's line to one of gradcli's errors."""
    for raised in (error, error.__cause__):
        if raised is not None and error.file is None and not error.frames:
            stack_frames.show_place(error, stack_frames.of_traceback(raised.__traceback__))
