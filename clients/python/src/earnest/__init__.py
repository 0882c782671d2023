"""The Python client of Earnest: see README.md, or `help(earnest.Earnest)`."""

from ._core.call import OMITTED, Omitted, RawResponse, RequestOptions
from ._core.exact import from_base_units, to_base_units
from ._core.hooks import Hooks, RequestReport, ResponseReport, RetryReport
from ._core.page import AsyncPage, AsyncPages, Page
from ._core.transport import Token, WithResponse
from ._generated import types
from ._generated.api import error_codes
from ._version import version
from .async_client import AsyncEarnest
from .buying import (
    ApprovalRequiredError,
    AsyncPurchase,
    Delivery,
    HeldToken,
    Market,
    OrderEndedError,
    PaymentFailedError,
    Purchase,
    RelayFailedError,
    ReleaseReceipt,
    UntrustedOrderError,
)
from .buying import Token as PaymentToken
from .client import Earnest
from .errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionError,
    EarnestError,
    NodeError,
    NotFoundError,
    PaymentRequiredError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimitError,
    ServerError,
    TimeoutError,
    TransactionError,
    UnprocessableError,
    UntrustedError,
    UntrustedTextError,
)
from .events import AsyncEvents, AsyncEventStream, Events, EventStream
from .files import AsyncFiles, FileMismatchError, Files
from .live import AsyncLiveStream, LiveStream
from .serving import DeclinedError, Handler, HandlerContext, Metered, Stop
from .wallet import AsyncWallet, LocalWallet, Sender, Wallet

__version__ = version
__all__ = [
    "OMITTED",
    "ApiError",
    "ApprovalRequiredError",
    "AsyncEarnest",
    "AsyncEventStream",
    "AsyncEvents",
    "AsyncFiles",
    "AsyncLiveStream",
    "AsyncPage",
    "AsyncPages",
    "AsyncPurchase",
    "AsyncWallet",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ConnectionError",
    "DeclinedError",
    "Delivery",
    "Earnest",
    "EarnestError",
    "EventStream",
    "Events",
    "FileMismatchError",
    "Files",
    "Handler",
    "HandlerContext",
    "HeldToken",
    "Hooks",
    "LiveStream",
    "LocalWallet",
    "Market",
    "Metered",
    "NodeError",
    "NotFoundError",
    "Omitted",
    "OrderEndedError",
    "Page",
    "PaymentFailedError",
    "PaymentRequiredError",
    "PaymentToken",
    "PermissionDeniedError",
    "PreconditionFailedError",
    "Purchase",
    "RateLimitError",
    "RawResponse",
    "RelayFailedError",
    "ReleaseReceipt",
    "RequestOptions",
    "RequestReport",
    "ResponseReport",
    "RetryReport",
    "Sender",
    "ServerError",
    "Stop",
    "TimeoutError",
    "Token",
    "TransactionError",
    "UnprocessableError",
    "UntrustedError",
    "UntrustedOrderError",
    "UntrustedTextError",
    "Wallet",
    "WithResponse",
    "error_codes",
    "from_base_units",
    "to_base_units",
    "types",
    "version",
]
