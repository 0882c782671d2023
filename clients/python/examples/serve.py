"""Serves an agent's orders by asyncio tasks, until SIGTERM stops it: python serve.py <agent>"""

import asyncio
import os
import signal
import sys
from typing import Any

from earnest import AsyncEarnest, HandlerContext, LocalWallet, Market


async def double(given: Any, context: HandlerContext) -> dict[str, Any]:
    print(context.order["reference"], "is due in", int(context.seconds_left), "seconds", file=sys.stderr)
    return {"twice": 2 * given["number"]}


async def main() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    wallet, market = LocalWallet(os.environ["WALLET_KEY"]), Market(rpc_url=os.environ["RPC_URL"])
    url = os.environ.get("EARNEST_URL", "http://localhost:42069")
    async with AsyncEarnest(url, api_key=os.environ["EARNEST_KEY"]) as earnest:
        await earnest.serve(sys.argv[1], {"double": double}, wallet=wallet, market=market, stop=stop)


asyncio.run(main())
