"""Watches the account's orders, and resumes after a restart: python watch_orders.py [cursor file]"""

import os
import sys
from pathlib import Path

from earnest import Earnest

place = Path(sys.argv[1] if len(sys.argv) > 1 else "cursor.txt")


def keep(cursor: str) -> None:
    # The cursor is written to a second file and moved, so that a crash leaves a whole file.
    beside = place.with_suffix(".new")
    beside.write_text(cursor)
    beside.replace(place)


with Earnest(
    os.environ.get("EARNEST_URL", "http://localhost:42069"), api_key=os.environ["EARNEST_KEY"]
) as earnest:
    cursor = place.read_text() if place.exists() else None
    until_caught_up = "EARNEST_ONCE" in os.environ
    for event in earnest.events.follow(cursor=cursor, on_cursor=keep, until_caught_up=until_caught_up):
        print(event["created_at"], event["type"], event["id"], flush=True)
