"""The wallets that sign. `LocalWallet` holds a key in memory and needs the extra `wallet` (eth-account). Any object with the
members of `Wallet` works too, such as a client of a signing service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Mapping, Protocol, Union, runtime_checkable

from typing_extensions import TypeAlias

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

__all__ = ["AnyWallet", "AsyncWallet", "LocalWallet", "Sender", "Wallet"]


class Wallet(Protocol):
    """A wallet that signs immediately."""

    @property
    def address(self) -> str: ...

    def sign_text(self, text: str) -> str:
        """Signs a text as `personal_sign` does (EIP-191). The signature is 0x-hex."""
        ...

    def sign_typed_data(self, typed_data: Mapping[str, Any]) -> str:
        """Signs typed data as `eth_signTypedData_v4` does (EIP-712). The signature is 0x-hex."""
        ...


class AsyncWallet(Protocol):
    """A wallet for an async client, whose methods are awaited."""

    @property
    def address(self) -> str: ...

    def sign_text(self, text: str) -> Awaitable[str]: ...

    def sign_typed_data(self, typed_data: Mapping[str, Any]) -> Awaitable[str]: ...


AnyWallet: TypeAlias = Union[Wallet, AsyncWallet]


@runtime_checkable
class Sender(Protocol):
    """The further member of a wallet that sends its own transactions, as the rail `escrow` needs."""

    @property
    def address(self) -> str: ...

    def sign_transaction(self, transaction: Mapping[str, Any]) -> Any:
        """Signs a transaction of type 2 (EIP-1559) whose fields are all given. The raw transaction is 0x-hex. An async
        client awaits the result if it is awaitable."""
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
        """Creates a wallet with a new key."""
        from eth_account import Account

        return cls(Account.create())

    @property
    def address(self) -> str:
        return str(self._account.address)

    @property
    def key(self) -> str:
        """The private key in 0x-hex. Keep it secret."""
        return "0x" + bytes(self._account.key).hex()

    def sign_text(self, text: str) -> str:
        from eth_account.messages import encode_defunct

        return "0x" + bytes(self._account.sign_message(encode_defunct(text=text)).signature).hex()

    def sign_typed_data(self, typed_data: Mapping[str, Any]) -> str:
        return "0x" + bytes(self._account.sign_typed_data(full_message=dict(typed_data)).signature).hex()

    def sign_transaction(self, transaction: Mapping[str, Any]) -> str:
        """Signs a transaction whose fields are all given. The raw transaction is 0x-hex."""
        return "0x" + bytes(self._account.sign_transaction(dict(transaction)).raw_transaction).hex()

    def __repr__(self) -> str:
        return f"LocalWallet({self.address})"
