"""The failures that a project has accepted, in a file beside its code: new ones fail the run, these do not."""

from __future__ import annotations

import json

from gradcli.errors import UsageError
from gradcli.records import SCHEMA
from gradcli.records.verification import Verification


def baseline_text(report: Verification) -> str:
    """The failures of a run, those that were accepted before among them, as the file holds them."""
    failing = [each for each in report.cases if each.is_failure or each.accepted == "baseline"]
    entries = [
        {"fingerprint": each.fingerprint, "name": each.case.name, "outcome": each.outcome, "message": each.message}
        for each in sorted(failing, key=lambda each: each.case.name)
    ]
    return json.dumps({"schema": SCHEMA, "accepted": entries}, indent=2, ensure_ascii=False) + "\n"


def accepted(path: str) -> frozenset[str]:
    """The fingerprints of a file.

    Raises:
        UsageError: there is no such file, or it is no baseline.
    """
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        return frozenset(entry["fingerprint"] for entry in data["accepted"])
    except FileNotFoundError:
        raise UsageError(f"There is no baseline {path!r}.", hint="--update-baseline writes it.") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path!r} is no baseline: {error}.", hint="--update-baseline writes it anew.") from None
