from ..errors import EarnestError


class DeclinedError(EarnestError):
    """A handler raises it to decline an order. The provider's wallet then signs the refund to the buyer."""
