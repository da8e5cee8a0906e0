"""The baseline: a file of accepted failures, which do not fail a run; new failures do."""

from __future__ import annotations

import json
import os

from gradcli.errors import UsageError
from gradcli.records import SCHEMA
from gradcli.records.verification import Verification
from gradcli.verification.reports import from_root

KEYS = ("fingerprint", "name", "outcome", "message")


def baseline_text(report: Verification, path: str | None = None) -> str:
    """The text of a baseline file: the failures of a run, including those accepted before.

    Args:
        report: the run.
        path: for a run over part of a project, the baseline whose entries on other cases are kept; otherwise None.
    """
    failing = [each for each in from_root(report).cases if each.is_failure or each.accepted == "baseline"]
    entries = [
        {"fingerprint": each.fingerprint, "name": each.case.name, "outcome": each.outcome, "message": each.message}
        for each in failing
    ]
    judged = {each.case.name for each in report.cases}
    others = [entry for entry in (_entries(path) if path and _holds_any(path) else ()) if entry["name"] not in judged]
    entries = sorted([*entries, *others], key=lambda entry: entry["name"])
    return json.dumps({"schema": SCHEMA, "accepted": entries}, indent=2, ensure_ascii=False) + "\n"


def accepted(path: str) -> frozenset[str]:
    """The fingerprints in a baseline file.

    Raises:
        UsageError: the file does not exist or is not a baseline.
    """
    return frozenset(entry["fingerprint"] for entry in _entries(path))


def _holds_any(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0


def _entries(path: str) -> list[dict[str, str]]:
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        return [{key: str(entry[key]) for key in KEYS} for entry in data["accepted"]]
    except FileNotFoundError:
        raise UsageError(f"There is no baseline {path!r}.", hint="--update-baseline writes it.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path!r} is no baseline: {error}.", hint="Name another file; --update-baseline writes it."
        ) from None
