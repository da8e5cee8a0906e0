"""`python -m tests.write`: everything in the repository that is generated from the output of gradcli, written anew.

These are the generated pages, the output and pictures shown in the documents, the transcripts of the commands and of
the prompt, the derived programs that a person has read, and the table for completion in a shell. Review the difference
before you keep it.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from tests.answers.derivation import test_goldens as of_derive
from tests.documents.generated import PAGES
from tests.documents.pictures import ASSETS, written_anew
from tests.documents.screenshots import browser, digest, digest_of, take
from tests.documents.shown import DOCS, documents, rewritten
from tests.terminal.cli import test_transcripts as of_commands
from tests.terminal.cli.commands.test_completion import write_table
from tests.terminal.repl import test_transcripts as of_the_prompt


def replace(paths: Iterable[Path], change: Callable[[str], str]) -> None:
    """Change the text of each file."""
    for path in paths:
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def write() -> None:
    """Write all of it, the pages last: they show what the rest says."""
    write_table()
    for name in of_derive.PROGRAMS:
        of_derive.golden(name).write_text(of_derive.derived(name), encoding="utf-8")
    replace(of_commands.TRANSCRIPTS, of_commands.replayed)
    replace(of_the_prompt.TRANSCRIPTS, of_the_prompt.replayed)
    for name, text in PAGES.items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
    replace(documents(), rewritten)
    for name in written_anew():
        print(f"drawn: {name}")
    for page in sorted(ASSETS.glob("*.html")) if browser() else ():
        picture = page.with_suffix(".png")
        if not picture.exists() or digest(page) != digest_of(picture):
            take(page, picture)
            print(f"taken: {picture.name}")


if __name__ == "__main__":
    write()
