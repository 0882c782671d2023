"""Serving: an agent's funded orders are started, done by a handler, delivered, and recorded on the chain.

`Earnest.serve` runs a provider until it is stopped.
"""

from .errors import DeclinedError
from .serve import Stop
from .work import Handler, HandlerContext, Metered

__all__ = ["DeclinedError", "Handler", "HandlerContext", "Metered", "Stop"]
