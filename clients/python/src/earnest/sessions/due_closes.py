"""When a provider closes its sessions."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Mapping

from .close_steps import CloseSteps
from .provider_session import ProviderSession

USUAL_IDLE = 86_400.0
"""Seconds without a call after which a session is closed, unless the provider chooses another time."""
_LONGEST_MARGIN = 3_600.0
"""The most seconds before a session's deadline in which it takes no calls, unless the provider chooses another time."""
_CHECK_SECONDS = 1.0
"""Seconds between two checks of the sessions that have to be closed."""
_MOST_AT_ONCE = 8
"""The most sessions that take a step to their end at once."""


class DueCloses:
    """Closes each session when it is due: when its buyer asks, when it is idle, and before its deadline. A closing session
    takes steps until it is over."""

    def __init__(
        self,
        sessions: Mapping[str, ProviderSession],
        steps: CloseSteps,
        *,
        margin: float | None,
        idle: float,
        stopping: threading.Event,
        forget: Callable[[str], None],
        on_error: Callable[[Exception, str], None],
    ) -> None:
        """
        Args:
            sessions: the open sessions by their escrows
            forget: gets the escrow of a session that is over
        """
        self._sessions, self._steps, self._margin, self._idle = sessions, steps, margin, idle
        self._stopping, self._forget, self._on_error = stopping, forget, on_error
        self._closing: dict[str, float] = {}
        """The sessions that take steps to their end, with the time of the next step."""

    def last_call_at(self, session: ProviderSession) -> float:
        """Returns the Unix seconds after which a session takes no call."""
        window = session.terms.escrow.terms.delivery_window
        margin = min(_LONGEST_MARGIN, window / 10) if self._margin is None else self._margin
        return session.terms.ends_at - margin

    def close_soon(self, session: ProviderSession) -> None:
        """Closes a session with the next check."""
        self._closing.setdefault(session.terms.escrow_id, time.time())

    def close_all(self) -> None:
        """Closes all sessions, and waits until they are over."""
        for session in list(self._sessions.values()):
            self.close_soon(session)
        while self._closing and not self._stopping.is_set():
            self._stopping.wait(_CHECK_SECONDS / 4)

    def run(self) -> None:
        """Closes sessions until the run stops."""
        with ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="earnest-closing") as pool:
            while not self._stopping.is_set():
                now = time.time()
                for session in list(self._sessions.values()):
                    if now > self.last_call_at(session) or now > session.used_at + self._idle:
                        self.close_soon(session)
                # The longest due first, so that sessions that cannot end leave steps to the others.
                due = sorted((at, escrow_id) for escrow_id, at in list(self._closing.items()) if at <= now)
                list(pool.map(self._step, [escrow_id for _, escrow_id in due[:_MOST_AT_ONCE]]))
                self._stopping.wait(_CHECK_SECONDS)

    def _step(self, escrow_id: str) -> None:
        session, wait = self._sessions.get(escrow_id), 2 * _CHECK_SECONDS
        if session is None:
            # The buyer asked again while the last step was taken.
            del self._closing[escrow_id]
            return
        try:
            session.close()
            # Half of the time without calls is for the service, and half for the provider's own wallet.
            pay_alone_at = (self.last_call_at(session) + session.terms.ends_at) / 2
            if not session.awaits_call(pay_alone_at) and self._steps.take(session, pay_alone_at):
                self._forget(escrow_id)
                del self._closing[escrow_id]
                return
        except Exception as error:
            if self._stopping.is_set():
                return
            wait = 10 * _CHECK_SECONDS
            self._on_error(error, session.terms.order_id)
        self._closing[escrow_id] = time.time() + wait
