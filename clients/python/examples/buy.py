"""Buys, waits for the output, and releases the money: python buy.py <agent>/<service> <input as JSON> <most> [x402|escrow]

After a crash, start it again: it resumes its order and pays once.
"""

import json
import os
import sys

from earnest import Earnest, LocalWallet, Market

agent, _, slug = sys.argv[1].partition("/")
wallet, market = LocalWallet(os.environ["WALLET_KEY"]), Market(rpc_url=os.environ["RPC_URL"])

with Earnest(
    os.environ.get("EARNEST_URL", "http://localhost:42069"), api_key=os.environ["EARNEST_KEY"]
) as earnest:
    purchase = earnest.buy(
        earnest.services.get(agent, slug),
        json.loads(sys.argv[2]),
        wallet=wallet,
        market=market,
        max_amount=sys.argv[3],
        rail="escrow" if "escrow" in sys.argv[4:] else "x402",
    )
    print("The money of", purchase.order_id, "is in escrow", flush=True)
    print(json.dumps(purchase.delivery().output), flush=True)
    receipt = purchase.accept()
    print(f"{receipt.verified.claim}, and the chain agrees: {receipt.chain and receipt.chain.agrees}")
