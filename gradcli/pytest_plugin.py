"""The plugin for pytest: `pytest --gradcli` runs the cases of `gradcli verify` as tests; the fixture `check_grad`.

Nothing of gradcli is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gradcli.records.verification import CaseResult, GradientCase

WAYS = ("fail", "warn", "pass")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option and the setting."""
    group = parser.getgroup("gradcli", "gradients")
    group.addoption("--gradcli", action="store_true", help="run the cases of `gradcli verify` as tests")
    group.addoption("--gradcli-config", metavar="FILE", help="the configuration, in place of the nearest upwards")
    help = f"what a check that decides nothing does: one of {', '.join(WAYS)}"
    parser.addini("gradcli_inconclusive", help, default="warn")


@pytest.hookimpl(tryfirst=True)  # before -k and xdist choose among the items
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the cases of the project."""
    if not config.getoption("--gradcli"):
        return
    collector = GradientCases.from_parent(session, name="gradcli", nodeid="gradcli")
    items += collector.collect()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End the worker; a session of nothing but cases has run tests."""
    worker = session.config.stash.get(WORKER, None)
    if worker is not None:
        worker.end()


WORKER: pytest.StashKey[Any] = pytest.StashKey()


class GradientCases(pytest.Collector):
    """The cases of the project at the root of the run."""

    def collect(self) -> list[pytest.Item]:
        """An item a case.

        Raises:
            pytest.UsageError: something is wrong with the configuration, a mark or a comment.
        """
        from gradcli import verification
        from gradcli.errors import UsageError

        try:
            found = verification.collected([str(self.config.rootpath)], self.config.getoption("--gradcli-config"))
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        return [GradientItem.from_parent(self, name=case.name, case=case) for case in found.cases]


class GradientItem(pytest.Item):
    """One case, judged in a worker process that a crash or a time-out does not take the tests along with."""

    def __init__(self, *, case: GradientCase, **known: Any) -> None:
        super().__init__(**known)
        self.case = case
        self.add_marker("gradcli")

    def runtest(self) -> None:
        """Judge it."""
        from gradcli import verification
        from gradcli.errors import FindingWarning

        result = verification.unrun(self.case) or self._worker().judged(self.case)
        if result.outcome in self.case.allow:
            result = result.changed(accepted="allow")
        if (text := answered(result, inconclusive_of(self.config))) is not None:
            self.warn(FindingWarning(text))

    def _worker(self) -> Any:
        from gradcli import verification

        if WORKER not in self.config.stash:
            self.config.stash[WORKER] = verification.WorkerProcess()
        return self.config.stash[WORKER]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str | Any:
        """The table of a failure, without a frame of anybody's."""
        if isinstance(excinfo.value, CaseFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the case is asked for."""
        line = self.case.line
        return self.case.file or self.path, None if line is None else line - 1, f"gradcli {self.name}"


class CaseFailure(Exception):
    """A case that fails; its text is the table."""


def answered(result: CaseResult, inconclusive: str) -> str | None:
    """Fail or skip, as a result asks for; the text to warn of, where it decides nothing.

    Raises:
        CaseFailure: it fails.
    """
    from gradcli import render
    from gradcli.render import verification as views

    if result.outcome in ("skipped", "unchecked"):
        pytest.skip(result.message)
    if not result.is_failure:
        return None
    text = render.as_text(views.failure_view(result, render.Look()), render.Look())
    if result.outcome != "inconclusive" or inconclusive == "fail":
        raise CaseFailure(text)
    return text if inconclusive == "warn" else None


def inconclusive_of(config: pytest.Config) -> Any:
    """What a check that decides nothing does.

    Raises:
        pytest.UsageError: the setting is none that there is.
    """
    way = str(config.getini("gradcli_inconclusive"))
    if way not in WAYS:
        raise pytest.UsageError(f"gradcli_inconclusive is {way!r}; it has to be one of {', '.join(WAYS)}.")
    return way


def pytest_configure(config: pytest.Config) -> None:
    """The marker of the items."""
    config.addinivalue_line("markers", "gradcli: a case of gradcli verify")


@pytest.fixture
def check_grad(pytestconfig: pytest.Config) -> Callable[..., None]:
    """`check_grad(f, at=…, against=g)`: as `gradcli.assert_grad`; what decides nothing is as `gradcli_inconclusive`."""
    import gradcli

    way = inconclusive_of(pytestconfig)

    def check(f: Any, **options: Any) -> None:
        __tracebackhide__ = True
        gradcli.assert_grad(f, **options, inconclusive=way)

    return check
