"""`gradcli help`: commands, topics and the codes of findings, without a network."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gradcli.cli.options import width
from gradcli.cli.program import COMMANDS, program
from gradcli.cli.streams import write
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.render import topics


@click.command("help", short_help="Explain a command, a topic or the code of a finding.")
@click.argument("topic", required=False)
@width
@click.pass_context
def command(context: click.Context, topic: str | None, width: int | None) -> None:
    """Explain a command, a TOPIC or the CODE of a finding."""
    root = context.find_root()
    if topic is None:
        write(sys.stdout, f"{root.get_help()}\n\n{overview()}")
    elif named := program.get_command(root, topic.lower()):
        write(sys.stdout, named.get_help(click.Context(named, parent=root, info_name=named.name)) + "\n")
    else:
        write(sys.stdout, page_text(topic, width))


def overview() -> str:
    """The words that have a page."""
    from gradcli.render import topics

    return f"Topics:\n  {', '.join(known_topics())}\n\nFindings:\n  {', '.join(topics.codes())}\n"


def known_topics() -> list[str]:
    """Every topic by name."""
    from gradcli.render import topics

    return [*topics.PAGES, "operations"]


def page_text(word: str, width: int | None) -> str:
    """The page that `word` asks for, as text.

    Raises:
        UsageError: there is none.
    """
    from gradcli import render
    from gradcli.render import topics

    found = operations() if word.lower() == "operations" else topics.page(word)
    if found is None:
        raise unknown(word, [*COMMANDS, *known_topics(), *topics.codes()])
    look = render.look_of(sys.stdout, width)
    return render.as_text(topics.view(found, look), look)


def operations() -> topics.Page:
    """The page of all operations that have a rule."""
    from gradcli import queries
    from gradcli.render import topics

    return topics.operations(queries.operations())


def unknown(word: str, words: list[str]) -> UsageError:
    """What to say of a word that has no page: the nearest that have."""
    from difflib import get_close_matches

    lowered = {known.lower(): known for known in words}
    near = get_close_matches(word.lower(), lowered, n=1)
    hint = f"Did you mean {lowered[near[0]]}?" if near else "`gradcli help` lists the topics."
    return UsageError(f"There is no help on {word!r}.", hint=hint)
