"""`gradcli help`: the pages on commands, topics and finding codes; no network access."""

from __future__ import annotations

import json
import sys

import click

from gradcli.errors import UsageError
from gradcli.shared.records.json_form import SCHEMA
from gradcli.terminal.cli.help_option import CommandWithHelp
from gradcli.terminal.cli.options import json_flag, width
from gradcli.terminal.cli.streams import write


@click.command(
    "help",
    cls=CommandWithHelp,
    short_help="Explain a command, a topic or a finding code.",
    examples=(
        "gradcli help points",
        "gradcli help all",
        "gradcli help G402",
    ),
)
@click.argument("topic", required=False)
@width
@json_flag
@click.pass_context
def command(context: click.Context, topic: str | None, width: int | None, as_json: bool) -> None:
    """Explain a command, a topic or a finding code; `all` prints every page."""
    text = explained(context.find_root(), topic, width)
    if as_json:
        text = json.dumps({"schema": SCHEMA, "command": "help", "topic": topic, "text": text, "findings": []}) + "\n"
    write(sys.stdout, text)


def explained(root: click.Context, topic: str | None, width: int | None) -> str:
    """The help on a topic; without a topic, the root help and the list of topics."""
    group = root.command
    assert isinstance(group, click.Group)
    if not topic or topic.lower() == "topics":
        return f"{root.get_help()}\n\n{overview()}"
    if topic.lower() == "all":
        from gradcli.terminal.render import topics

        words = [*group.list_commands(root), *known_topics(), *topics.codes()]
        return "\n\n".join([root.get_help() + "\n", *(explained(root, word, width) for word in words)])
    if named := group.get_command(root, topic.lower()):
        return named.get_help(click.Context(named, parent=root, info_name=named.name)) + "\n"
    return page_text(topic, width, group.list_commands(root))


def overview() -> str:
    """The lists of topics and finding codes."""
    from gradcli.terminal import render
    from gradcli.terminal.render import topics

    look = render.look_of(sys.stdout)
    lists = (("Topics", known_topics()), ("Findings", topics.codes()))
    return "\n".join(f"{title}:\n{render.sentence_text(', '.join(words), look, '  ')}" for title, words in lists)


def known_topics() -> list[str]:
    """The names of all topics."""
    from gradcli.terminal.render import topics

    return [*topics.PAGES, "operations"]


def page_text(word: str, width: int | None, commands: list[str]) -> str:
    """The help page for `word`, as text.

    Raises:
        UsageError: there is no page for `word`.
    """
    from gradcli import queries
    from gradcli.terminal import render
    from gradcli.terminal.render import topics

    page = topics.operations(queries.operations()) if word.lower() == "operations" else topics.page(word)
    if page is None and (signature := queries.functions().get(word)):
        return f"{word}{signature}: a function of formulas; gradcli symbolic '{word}{signature}' differentiates it.\n"
    if page is None:
        raise unknown(word, [*commands, *known_topics(), *topics.codes()])
    look = render.look_of(sys.stdout, width)
    return render.as_text(topics.view(page, look), look)


def unknown(word: str, words: list[str]) -> UsageError:
    """The error for a word without a page; its hint names the nearest word with one."""
    from gradcli.shared.message_wording import did_you_mean

    if word[:1] in ("g", "G") and word[1:].isdecimal():
        codes = [known for known in words if known[1:].isdecimal()]
        near = sorted(codes, key=lambda code: abs(int(code[1:]) - int(word[1:6])))[:3]
        return UsageError(f"There is no finding code {word.upper()}.", hint=f"The nearest are {', '.join(near)}.")
    hint = did_you_mean(word, words) or "`gradcli help` lists the topics."
    return UsageError(f"There is no help on {word!r}.", hint=hint)
