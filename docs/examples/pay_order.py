# pip install "x402[evm,httpx]"
import asyncio, os
from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact.register import register_exact_evm_client

usdc = {"network": "eip155:8453", "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}

async def pay() -> None:
    client = x402Client()
    signer = EthAccountSigner(Account.from_key(os.environ["PRIVATE_KEY"]))
    register_exact_evm_client(client, signer, networks=usdc["network"])
    client.set_spend_controls({"allowed_assets": [{**usdc, "max_amount_per_payment": "50000000"}]})
    async with x402HttpxClient(client, timeout=30) as http:
        url = f"{os.environ['BASE']}/orders/{os.environ['ORDER']}/payment"
        paid = await http.post(url, headers={"x-api-key": os.environ["KEY"]})
        print(paid.status_code, paid.json())

asyncio.run(pay())
