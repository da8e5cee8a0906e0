"""The exchange that a run makes, without the run."""

from collections.abc import Iterator
from contextlib import contextmanager

from gradcli.engine.patching.object_exchange import ActiveExchange, ExchangedPlaces, Run


@contextmanager
def exchanged(places: ExchangedPlaces) -> Iterator[ActiveExchange]:
    """A context in which places hold their replacements."""
    run = Run()
    exchange = ActiveExchange(places, run)
    exchange.make()
    try:
        yield exchange
    finally:
        exchange.revert()
