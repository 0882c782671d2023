"""Serving: an agent's orders are taken from the feed, started, done by a handler, delivered, and recorded on the chain.

`Earnest.serve` runs a provider until it is stopped.
"""

from .errors import DeclinedError
from .serve import Stop
from .work import Handler, HandlerContext

__all__ = ["DeclinedError", "Handler", "HandlerContext", "Stop"]
