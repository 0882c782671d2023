import json
from datetime import datetime, timezone
from typing import Any

import httpx2
import pytest
from vectors import read_vectors

from earnest.receipts import Verifier

vectors = read_vectors("protocol/execution/vectors.json")
cases = vectors.pop("cases")


@pytest.mark.parametrize("case", [pytest.param({**vectors, **case}, id=case["name"]) for case in cases])
def test_vectors(case: dict[str, Any]) -> None:
    page = httpx2.MockTransport(lambda _: httpx2.Response(200, json=case["did"]))
    now = datetime.fromtimestamp(case["now"], timezone.utc)
    with httpx2.Client(transport=page) as http, Verifier(case["issuer"], now=now, http=http) as verifier:
        result = verifier.verify_execution(
            case["method"],
            case["headers"],
            case["body"].encode(),
            endpoint=case["endpoint"],
            agent=[case["agent"]],
        )
    if result.valid:
        assert case["code"] is None
        assert result.order == json.loads(case["body"])
        assert result.idempotency_key == result.order["order_id"]
    else:
        assert (result.code, result.message != "") == (case["code"], True)
