"""`python -m tests.documents --write`: the generated pages, what the documents show, and their pictures."""

from __future__ import annotations

import sys

from tests.documents.generated import PAGES
from tests.documents.pictures import written_anew
from tests.documents.shown import DOCS, documents, rewritten

if sys.argv[1:] == ["--write"]:
    for name, text in PAGES.items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
    for path in documents():
        path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
    for name in written_anew():
        print(f"drawn: {name}")
