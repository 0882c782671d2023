"""Who signs. `LocalWallet` holds a key in memory and needs the extra `wallet` (eth-account); any object with the members of
`Wallet` serves as well, such as one that asks a signing service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Mapping, Protocol, Union, runtime_checkable

from typing_extensions import TypeAlias

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

__all__ = ["AnyWallet", "AsyncWallet", "LocalWallet", "Sender", "Wallet"]


class Wallet(Protocol):
    """A wallet that signs at once."""

    @property
    def address(self) -> str: ...

    def sign_text(self, text: str) -> str:
        """Signs a text as `personal_sign` does (EIP-191); the signature is 0x and hex."""
        ...

    def sign_typed_data(self, typed_data: Mapping[str, Any]) -> str:
        """Signs typed data as `eth_signTypedData_v4` does (EIP-712); the signature is 0x and hex."""
        ...


class AsyncWallet(Protocol):
    """The same for an async client, where signing takes its time."""

    @property
    def address(self) -> str: ...

    def sign_text(self, text: str) -> Awaitable[str]: ...

    def sign_typed_data(self, typed_data: Mapping[str, Any]) -> Awaitable[str]: ...


AnyWallet: TypeAlias = Union[Wallet, AsyncWallet]


@runtime_checkable
class Sender(Protocol):
    """What a wallet has besides where it sends transactions of its own, as the rail `escrow` needs them."""

    @property
    def address(self) -> str: ...

    def sign_transaction(self, transaction: Mapping[str, Any]) -> Any:
        """Signs a transaction of type 2 (EIP-1559) with all of its fields given; the raw transaction is 0x and hex. An async
        client awaits what is awaitable."""
        ...


class LocalWallet:
    """A key in memory, or an account of eth-account.

    Example:
        wallet = LocalWallet(os.environ["WALLET_KEY"])
    """

    def __init__(self, key: str | bytes | LocalAccount) -> None:
        try:
            from eth_account import Account
        except ImportError as error:  # pragma: no cover - the tests install the extra
            raise ImportError(
                "LocalWallet needs eth-account: pip install 'earnest-client[wallet]'."
            ) from error
        self._account: LocalAccount = Account.from_key(key) if isinstance(key, (str, bytes)) else key

    @classmethod
    def create(cls) -> LocalWallet:
        """A wallet with a fresh key."""
        from eth_account import Account

        return cls(Account.create())

    @property
    def address(self) -> str:
        return str(self._account.address)

    @property
    def key(self) -> str:
        """The private key, as 0x and hex: keep it."""
        return "0x" + bytes(self._account.key).hex()

    def sign_text(self, text: str) -> str:
        from eth_account.messages import encode_defunct

        return "0x" + bytes(self._account.sign_message(encode_defunct(text=text)).signature).hex()

    def sign_typed_data(self, typed_data: Mapping[str, Any]) -> str:
        return "0x" + bytes(self._account.sign_typed_data(full_message=dict(typed_data)).signature).hex()

    def sign_transaction(self, transaction: Mapping[str, Any]) -> str:
        """Signs a transaction with all of its fields given; the raw transaction is 0x and hex."""
        return "0x" + bytes(self._account.sign_transaction(dict(transaction)).raw_transaction).hex()

    def __repr__(self) -> str:
        return f"LocalWallet({self.address})"
