"""The steps to the end of a session, at its provider."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._core.flow import Flow
from .._core.retry import is_temporary
from ..buying.chain import Chain, EscrowState, read_now
from ..buying.market import Markets, find_market
from ..buying.sending import send_call
from ..errors import ApiError
from ..settlement import close_data, refund_data, voucher_call
from ..settlement.typed_hash import hash_typed_data
from ..wallet import Wallet
from .provider_session import ProviderSession

if TYPE_CHECKING:
    from ..client import Earnest

_LONGEST_CLOSE = 120.0
"""Seconds that a close by both signatures may take before the voucher is sent."""
_LEAST_LEFT = 60
"""The seconds that a close by both signatures needs at least until its deadline."""
_SIGNATURE_SECONDS = 86_400


@dataclass(frozen=True)
class CloseSteps:
    """Takes the steps that end sessions. The payout wallet signs."""

    client: Earnest
    wallet: Wallet
    market: Markets
    turn: threading.Lock = field(default_factory=threading.Lock)

    def take(self, session: ProviderSession, pay_alone_at: float) -> bool:
        """Takes the next step to a session's end. The service sends the buyer's and the provider's signatures, which end the
        session at once. Without the buyer's, the newest voucher goes to the chain, and once its payment is confirmed, the
        rest goes back. The provider never signs that refund before the chain has paid the voucher.

        If the service refuses the voucher, or has not brought it to the chain in time, the wallet sends it.

        Args:
            pay_alone_at: Unix seconds from which the wallet pays the voucher if the chain has not paid it

        Returns:
            Whether the session is over
        """
        chain = self._run(find_market(self.market, session.terms.escrow.chain_id)).chain
        state = self._read_state(session, chain)
        now = self._run(read_now(chain))
        if self._owes(session, state) and now >= pay_alone_at:
            self._pay_alone(session, chain)
            return False
        # Anyone can refund the rest, and the service pays no gas of small balances.
        if state is not None and not self._owes(session, state) and now > session.terms.ends_at:
            return True
        order = self.client.orders.get(session.terms.order_id)
        if order["status"] in ("released", "refunded", "expired"):
            # The service's word is not enough to forget a voucher.
            return state is None or state.is_over
        if state is not None and state.is_over:
            return False
        try:
            if self._close_together(session, now):
                return False
            self._close_by_voucher(session, state, now)
            return False
        except ApiError as error:
            if is_temporary(error):
                raise
            # The step may be on the chain already. Otherwise the service refuses the voucher, and the wallet sends it.
            after = self._read_state(session, chain)
            if after is None:
                raise
            if self._owes(session, after):
                self._pay_alone(session, chain)
            return False

    def _run(self, flow: Flow[Any]) -> Any:
        return self.client._transport.run(flow)

    def _read_state(self, session: ProviderSession, chain: Chain | None) -> EscrowState | None:
        if chain is None:
            return None
        state: EscrowState = self._run(chain.read_state(session.terms.escrow))
        return state

    def _owes(self, session: ProviderSession, state: EscrowState | None) -> bool:
        return state is not None and not state.is_over and state.paid < session.earned

    def _pay_alone(self, session: ProviderSession, chain: Chain | None) -> None:
        """Sends the newest voucher by the provider's own wallet, which pays the gas."""
        newest, escrow = session.newest, session.terms.escrow
        if newest is None or chain is None:
            return
        call = voucher_call(
            escrow,
            cumulative_amount=newest.cumulative_amount,
            work_hash=newest.work_hash,
            signature=session.in_contract_form(session.digest_of(newest), newest.signature),
        )
        # Two transactions of one wallet at once would use the same nonce.
        with self.turn:
            self._run(send_call(chain, escrow.chain_id, self.wallet, call))

    def _close_together(self, session: ProviderSession, now: int) -> bool:
        """Ends the session by the signatures of both parties, in one transaction.

        Returns:
            Whether the close is on its way. Otherwise the voucher pays
        """
        request, earned = session.close_request, session.earned
        if request is None or request.provider_amount != earned or earned == 0:
            return False
        if request.deadline < now + _LEAST_LEFT or time.time() > session.closed_at + _LONGEST_CLOSE:
            return False
        data = close_data(session.terms.escrow, provider_amount=earned, deadline=request.deadline)
        try:
            sent = self.client.orders.close(
                session.terms.order_id,
                provider_amount=str(earned),
                deadline=str(request.deadline),
                buyer_signature=session.in_contract_form(hash_typed_data(data), request.signature),
                provider_signature=self.wallet.sign_typed_data(data),
            )
        except ApiError as error:
            if is_temporary(error):
                raise
            return False
        return sent["relay"]["status"] != "failed"

    def _close_by_voucher(self, session: ProviderSession, state: EscrowState | None, now: int) -> None:
        order_id, newest, earned = session.terms.order_id, session.newest, session.earned
        if newest is not None and self._read_paid(order_id) < earned:
            if state is None or state.paid < earned:
                self.client.orders.use_voucher(
                    order_id,
                    cumulative_amount=str(earned),
                    work_hash=newest.work_hash,
                    signature=session.in_contract_form(session.digest_of(newest), newest.signature),
                )
            return
        # The service's word is not enough: after a refund the voucher is worth nothing.
        if earned == session.terms.balance or (state is not None and state.paid < earned):
            return
        deadline = now + _SIGNATURE_SECONDS
        data = refund_data(session.terms.escrow, deadline=deadline)
        signature = self.wallet.sign_typed_data(data)
        self.client.orders.refund(order_id, signature=signature, deadline=deadline)

    def _read_paid(self, order_id: str) -> int:
        """Sums what parts have paid, as the chain confirmed it."""
        paid = 0
        for entry in self.client.orders.list_trail(order_id):
            if entry["type"] == "order.part_released" and entry["confirmed"]:
                paid = max(paid, int(str(entry["data"]["released_so_far_base_units"])))
        return paid
