from ..errors import EarnestError


class DeclinedError(EarnestError):
    """Raised by a handler that will not do an order: the provider's wallet signs that the money goes back to the buyer."""
