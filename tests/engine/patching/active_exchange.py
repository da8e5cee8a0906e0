"""The exchange that a run makes, without the run."""

from collections.abc import Iterator
from contextlib import contextmanager

from gradcli.engine.patching.object_exchange import ActiveExchange, GroupedPlaces, Run


@contextmanager
def exchanged(places: GroupedPlaces) -> Iterator[ActiveExchange]:
    """A context in which places hold their replacements."""
    run = Run()
    exchange = ActiveExchange(places, run)
    exchange.make()
    try:
        yield exchange
    finally:
        exchange.revert()
