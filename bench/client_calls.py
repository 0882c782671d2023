"""Says how many milliseconds of processor time a call takes, by httpx2 alone and by the client: client_calls.py <url> <calls> <rounds>"""

import json
import sys
import time

import httpx2
from earnest import Earnest

url, calls, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
bare = httpx2.Client(headers={"authorization": "Bearer esk_1"})
client = Earnest(url, api_key="esk_1")
ways = {
    "bare": lambda: bare.get(f"{url}/api/v1/orders/ord_1").json(),
    "client": lambda: client.orders.get("ord_1"),
}
samples: dict[str, list[float]] = {name: [] for name in ways}
# They take turns, and the first round warms up.
for number in range(rounds + 1):
    for name, call in ways.items():
        begin = time.process_time()
        for _ in range(calls):
            call()
        if number > 0:
            samples[name].append((time.process_time() - begin) / calls * 1000)
print(json.dumps({name: min(each) for name, each in samples.items()}))
