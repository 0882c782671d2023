"""Programs in their own processes, which a test kills at any moment and starts again."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
from multiprocessing.connection import Connection
from typing import Any, Callable

from earnest import AsyncEarnest, Earnest, HandlerContext, LocalWallet, Market

Tell = Callable[[str], None]

# Each program has a new process. Slow modules are imported once.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["earnest", "eth_account", "pytest"])


class Program:
    def __init__(self, run: Callable[..., None], **given: str) -> None:
        self._ours, theirs = _context.Pipe(duplex=False)
        self._process = _context.Process(target=_run, args=(run, theirs, given))
        self._process.start()
        theirs.close()

    def is_over(self) -> bool:
        return not self._process.is_alive()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()

    def stop(self) -> None:
        """Ends the program by SIGTERM."""
        self._process.terminate()

    def next(self) -> str:
        """Returns the program's next message."""
        return str(self._ours.recv())

    def end(self) -> list[str]:
        """Waits for a successful end, and returns the remaining messages."""
        told: list[str] = []
        try:
            while True:
                told.append(self.next())
        except EOFError:
            self._process.join()
        assert self._process.exitcode == 0, told
        return told


def _run(run: Callable[..., None], pipe: Connection, given: dict[str, str]) -> None:
    run(pipe.send, **given)


def buy(tell: Tell, *, base_url: str, rpc_url: str, key: str, token: str, agent: str, rail: Any) -> None:
    with Earnest(base_url, api_key=token) as earnest:
        service = earnest.services.get(agent, "count")
        given, market = {"text": "Guten Tag"}, Market(rpc_url=rpc_url)
        wallet = LocalWallet(key)
        purchase = earnest.buy(service, given, wallet=wallet, max_amount="3", market=market, rail=rail)
        tell(f"{purchase.order_id} {purchase.order['status']}")


def serve(tell: Tell, *, base_url: str, rpc_url: str, key: str, token: str, agent: str, mode: str) -> None:
    wallet, market, stop = LocalWallet(key), Market(rpc_url=rpc_url), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    tell("serving")

    def count(given: Any, context: HandlerContext) -> dict[str, int]:
        tell("called again" if context.is_retry else "called")
        return {"characters": len(given["text"])}

    async def count_async(given: Any, context: HandlerContext) -> dict[str, int]:
        return count(given, context)

    async def main() -> None:
        async with AsyncEarnest(base_url, api_key=token) as earnest:
            handlers = {"count": count_async}
            await earnest.serve(agent, handlers, wallet=wallet, market=market, stop=stop, poll=0.3)

    if mode == "async":
        asyncio.run(main())
    else:
        with Earnest(base_url, api_key=token) as earnest:
            earnest.serve(agent, {"count": count}, wallet=wallet, market=market, stop=stop, poll=0.3)
    tell("stopped")
