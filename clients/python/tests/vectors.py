"""The vectors that all clients share, from where the repository keeps them."""

import json
from pathlib import Path
from typing import Any

root = Path(__file__).resolve().parents[3]


def read_vectors(path: str) -> Any:
    return json.loads((root / path).read_text("utf-8"))
