from __future__ import annotations

import asyncio
import email.utils
import logging
import threading
import time
from decimal import Decimal
from typing import Any, Callable, cast

import pytest
from flaky import Answer, FlakyServer, Seen, refusal

import earnest
from earnest import ApiError, AsyncEarnest, Earnest, Hooks, RequestOptions, error_codes

Make = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("no_jitter")
order = {"service_id": "svc_1"}


@pytest.mark.parametrize("fault", ["lost", "cut", "short"])
def test_a_write_whose_answer_is_lost_is_sent_again_with_its_key(
    client: Make, server: FlakyServer, fault: str
) -> None:
    server.otherwise = server.keeping_keys

    def carry_out(seen: Seen) -> Answer:
        server.otherwise = server.keeping_keys
        made = server.keeping_keys(seen)
        return Answer(made.body, made.status, fault=fault)

    server.otherwise = carry_out
    one = client()
    answer = one.with_response(one.orders.place, **order)
    assert answer.data == {"id": "ord_0", "reference": "E-1"}
    assert answer.response.attempts == 2
    assert answer.response.headers["idempotent-replayed"] == "true"
    keys = {seen.headers["idempotency-key"] for seen in server.seen}
    assert keys == set(server.kept) == {answer.response.idempotency_key}
    assert len(server.seen) == 2


def test_each_write_has_a_key_of_its_own_unless_it_is_given(client: Make, server: FlakyServer) -> None:
    server.otherwise = server.keeping_keys
    one = client()
    ids = [one.orders.place(**order)["id"] for _ in range(3)]
    given = RequestOptions(idempotency_key="mine")
    ids += [one.orders.place(**order, options=given)["id"] for _ in range(2)]
    assert ids == ["ord_0", "ord_1", "ord_2", "ord_3", "ord_3"]
    assert server.seen[-1].headers["idempotency-key"] == "mine"


def test_a_read_has_no_key(client: Make, server: FlakyServer) -> None:
    client().orders.get("ord_1", options=RequestOptions(idempotency_key="mine"))
    assert "idempotency-key" not in server.seen[0].headers


def test_an_answer_without_end_is_given_up_at_64_mib(client: Make, server: FlakyServer) -> None:
    sent = 0

    def speak() -> Any:
        nonlocal sent
        while sent < 200:
            sent += 1
            yield b" " * 2**20

    server.answers = [Answer(chunks=speak(), headers={"content-type": "application/json"})]
    with pytest.raises(earnest.ConnectionError, match="larger than 67108864 bytes"):
        client(max_retries=0).chain.get_status()
    assert sent < 100


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_tries_again_and_never_past_the_limit(client: Make, server: FlakyServer, status: int) -> None:
    server.otherwise = lambda _: refusal(status, "some_code")
    with pytest.raises(ApiError) as refused:
        client().orders.place(**order)
    assert (refused.value.status, refused.value.attempts, len(server.seen)) == (status, 3, 3)
    assert refused.value.idempotency_key == server.seen[0].headers["idempotency-key"]
    with pytest.raises(ApiError):
        client(max_retries=5).orders.place(**order, options=RequestOptions(max_retries=0))
    assert len(server.seen) == 4


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 409, 412, 413, 415, 422])
def test_a_refusal_is_not_tried_again(client: Make, server: FlakyServer, status: int) -> None:
    server.otherwise = lambda _: refusal(status, "some_code")
    with pytest.raises(ApiError):
        client().orders.place(**order)
    assert len(server.seen) == 1


def test_what_must_not_be_sent_twice_is_sent_once(client: Make, server: FlakyServer) -> None:
    proof = {"message": "m", "nonce": "n", "signature": "0x"}
    for failure in (Answer(fault="lost"), refusal(503, "dependency_unavailable", retry_after="0")):
        server.answers = [failure]
        with pytest.raises(earnest.EarnestError):
            client().auth.sign_in(**proof)
        assert len(server.seen) == 1
        server.seen.clear()
    # The service does nothing before a 429.
    server.answers = [refusal(429, "rate_limited", retry_after="0")]
    client().auth.sign_in(**proof)
    assert len(server.seen) == 2


def test_waits_as_long_as_retry_after_says(client: Make, server: FlakyServer) -> None:
    server.answers = [
        refusal(503, "checker_busy", retry_after="1"),
        refusal(409, "conflict", retry_after="0"),
        refusal(429, "rate_limited", retry_after=email.utils.formatdate(time.time() - 60, usegmt=True)),
    ]
    begin = time.monotonic()
    assert client(max_retries=3).orders.place(**order) == {"path": "/api/v1/orders"}
    assert time.monotonic() - begin >= 1
    assert len(server.seen) == 4


def test_a_retry_after_beyond_the_longest_wait_is_an_error_at_once(client: Make, server: FlakyServer) -> None:
    server.otherwise = lambda _: refusal(429, "too_many_unpaid_orders", retry_after="31")
    begin = time.monotonic()
    with pytest.raises(earnest.RateLimitError) as refused:
        client().orders.place(**order)
    assert (refused.value.retry_after, refused.value.code) == (31, "too_many_unpaid_orders")
    assert len(server.seen) == 1
    assert time.monotonic() - begin < 31


def test_a_late_answer_is_a_timeout(client: Make, server: FlakyServer) -> None:
    server.otherwise = lambda _: Answer({}, fault="slow", delay=60)
    begin = time.monotonic()
    with pytest.raises(earnest.TimeoutError, match=r"POST /api/v1/orders: no response within 0.5 s") as late:
        client(timeout=0.5, max_retries=1).orders.place(**order)
    assert late.value.idempotency_key == server.seen[0].headers["idempotency-key"]
    assert (late.value.attempts, len(server.seen)) == (2, 2)
    assert time.monotonic() - begin < 60


def test_an_answer_that_drips_is_a_timeout(client: Make, server: FlakyServer) -> None:
    server.otherwise = lambda _: Answer({"a": "b" * 1000}, fault="drip", delay=0.05)
    begin = time.monotonic()
    with pytest.raises(earnest.TimeoutError):
        client(max_retries=0).orders.get("ord_1", options=RequestOptions(timeout=0.5))
    assert time.monotonic() - begin < 50


def test_no_connection(client: Make, server: FlakyServer) -> None:
    server.close()
    with pytest.raises(earnest.ConnectionError, match="no whole answer came") as failed:
        client().me()
    assert failed.value.attempts == 3
    assert not isinstance(failed.value, earnest.TimeoutError)


def test_a_redirect_is_not_followed(client: Make, server: FlakyServer) -> None:
    server.answers = [Answer("", 307, {"location": f"{server.url}/elsewhere"})]
    with pytest.raises(ApiError) as refused:
        client(api_key="esk_1").me()
    assert (refused.value.status, refused.value.code, len(server.seen)) == (307, "unknown", 1)


def test_what_is_sent(client: Make, server: FlakyServer) -> None:
    one = client(access_token="est_1", organisation="acc_1", headers={"X-Mine": "1", "Accept": "a/b"})
    one.orders.place(
        service_id="svc_ü", input_payload={"text": "日本"}, options=RequestOptions(headers={"x-mine": "2"})
    )
    sent = server.seen[0]
    assert sent.body == {"service_id": "svc_ü", "input_payload": {"text": "日本"}}
    assert sent.headers["authorization"] == "Bearer est_1"
    assert sent.headers["x-organisation"] == "acc_1"
    assert (sent.headers["x-mine"], sent.headers["accept"]) == ("2", "a/b")
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["user-agent"].startswith(f"earnest-client-python/{earnest.version} (Python/3.")
    one.orders.place(service_id="s", input_payload=None, options=RequestOptions(organisation=None))
    assert server.seen[1].body == {"service_id": "s", "input_payload": None}
    assert "x-organisation" not in server.seen[1].headers
    one.auth.sign_in(message="m", nonce="n", signature="0x")
    assert {"authorization", "x-organisation"}.isdisjoint(server.seen[2].headers)
    one.organisations.members.remove("acc_1", "acc_2", revoke_keys=True)
    assert (server.seen[3].method, server.seen[3].query) == ("DELETE", {"revoke_keys": ["true"]})
    assert server.seen[3].body is None
    one.agents.update("a b/c", name="x", if_match='"1.2"')
    assert server.seen[4].path == "/api/v1/agents/a%20b%2Fc"
    assert server.seen[4].headers["if-match"] == '"1.2"'
    one.events.list(type=["order.funded", "order.released"], limit=5)
    assert server.seen[5].query == {"type": ["order.funded", "order.released"], "limit": ["5"]}
    one.request("POST", "/new/path", body=[1], query={"q": "ü&="})
    assert (server.seen[6].path, server.seen[6].query, server.seen[6].body) == (
        "/api/v1/new/path",
        {"q": ["ü&="]},
        [1],
    )
    assert len(server.seen[6].headers["idempotency-key"]) == 32


@pytest.mark.parametrize("part", ["", ".", "..", None, 1])
def test_a_path_cannot_lead_elsewhere(client: Make, server: FlakyServer, part: Any) -> None:
    with pytest.raises(TypeError, match="cannot be a part of a path"):
        client().orders.get(part)
    assert server.seen == []


def test_money_is_exact_or_refused_before_it_is_sent(client: Make, server: FlakyServer) -> None:
    one = client()
    service = {"slug": "s", "title": "t", "pricing_model": "fixed", "delivery_time_hours": 1}
    for price in (1.5, 2, float("nan"), True, "1e3", "1,5", "", "-1", Decimal("NaN"), Decimal("-0.1")):
        with pytest.raises(TypeError, match=r"price is .*: use a Decimal"):
            one.services.create("agent", **service, price=price)
    with pytest.raises(TypeError, match="min_price is a float"):
        one.marketplace.search_services(min_price=0.5)
    with pytest.raises(TypeError, match="deadline is a float: use a whole number"):
        one.orders.release("ord_1", signature="0x", deadline=1e9)
    with pytest.raises(TypeError, match="per_day is a float: use a Decimal"):
        one.api_keys.create(name="k", scopes=["orders:read"], limits=cast(Any, {"per_day": 0.5}))
    assert server.seen == []
    one.services.create("agent", **service, price=Decimal("12.50"))
    one.services.create("agent", **service, price="12.50")
    one.services.create("agent", **service, price=Decimal("1E+2"))
    one.services.update("agent", "s", price=None)
    assert [seen.body["price"] for seen in server.seen] == ["12.50", "12.50", "100", None]
    one.orders.release("ord_1", signature="0x", deadline=2**70)
    assert server.seen[-1].body["deadline"] == str(2**70)


def test_what_is_no_json_is_refused_before_it_is_sent(client: Make, server: FlakyServer) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        client().orders.place(service_id="s", input_payload={"x": float("nan")})
    assert server.seen == []


def test_an_answer_of_a_newer_service_is_taken(client: Make, server: FlakyServer) -> None:
    server.answers = [Answer({"id": "ord_1", "status": "teleported", "new": [1, {"x": None}]})]
    assert client().orders.get("ord_1")["status"] == "teleported"
    server.answers = [refusal(418, "a_new_code", details=[{"path": "/x", "message": "m", "new": 1}])]
    with pytest.raises(ApiError, match=r"a_new_code: It is a_new_code. \(req_1\)\n  /x: m") as refused:
        client().orders.get("ord_1")
    assert refused.value.details == [{"path": "/x", "message": "m", "new": 1}]
    assert type(refused.value) is ApiError


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, earnest.BadRequestError),
        (401, earnest.AuthenticationError),
        (402, earnest.PaymentRequiredError),
        (403, earnest.PermissionDeniedError),
        (404, earnest.NotFoundError),
        (405, earnest.BadRequestError),
        (409, earnest.ConflictError),
        (412, earnest.PreconditionFailedError),
        (413, earnest.BadRequestError),
        (415, earnest.BadRequestError),
        (422, earnest.UnprocessableError),
        (429, earnest.RateLimitError),
        (500, earnest.ServerError),
        (599, earnest.ServerError),
    ],
)
def test_errors_by_their_class(client: Make, server: FlakyServer, status: int, kind: type[ApiError]) -> None:
    server.otherwise = lambda _: refusal(status, "code_1", retry_after="99")
    with pytest.raises(kind) as refused:
        client(max_retries=0).orders.get("ord_1")
    error = refused.value
    assert (error.status, error.code, error.request_id, error.retry_after) == (status, "code_1", "req_1", 99)
    assert error.message == "It is code_1."


@pytest.mark.parametrize(
    "body", ["<html>Bad gateway</html>", "", "null", '"x"', '{"error": {"details": 5}}', "{"]
)
def test_what_something_else_answers_is_an_error_too(client: Make, server: FlakyServer, body: str) -> None:
    for kind in ("text/html", "application/json"):
        server.answers = [Answer(body, 502, {"content-type": kind, "x-request-id": "req_9"})]
        with pytest.raises(earnest.ServerError) as refused:
            client(max_retries=0).orders.get("ord_1")
        assert (refused.value.code, refused.value.request_id, refused.value.details) == (
            "unknown",
            "req_9",
            [],
        )


def test_a_file_comes_as_its_bytes(client: Make, server: FlakyServer) -> None:
    content = bytes(range(256))
    server.answers = [Answer(content, 200, {"content-type": "application/pdf"}), refusal(409, "not_settled")]
    assert client().orders.export_invoice("ord_1") == content
    with pytest.raises(earnest.ConflictError):
        client().orders.export_invoice("ord_1")


def test_a_402_has_what_is_to_be_paid(client: Make, server: FlakyServer) -> None:
    document = {"x402Version": 2, "accepts": [], "resource": {}}
    error = {"code": "payment_required", "message": "Pay.", "request_id": "req_1"}
    server.answers = [Answer({**document, "error": error}, 402), refusal(402, "payment_required")]
    with pytest.raises(earnest.PaymentRequiredError, match=r"payment_required: Pay\.") as refused:
        client().orders.pay("ord_1")
    assert refused.value.payment_required == document
    with pytest.raises(earnest.PaymentRequiredError) as refused:
        client().orders.pay("ord_1")
    assert refused.value.payment_required is None


def test_hooks_and_logs_are_told_and_see_no_token(
    client: Make, server: FlakyServer, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[Any] = []
    hooks = Hooks(on_request=told.append, on_response=told.append, on_retry=told.append)
    server.answers = [refusal(503, "checker_busy", retry_after="0")]
    with caplog.at_level(logging.DEBUG, logger="earnest"):
        client(api_key="esk_secret", hooks=hooks).orders.place(**order)
    assert [type(one).__name__ for one in told] == [
        "RequestReport",
        "ResponseReport",
        "RetryReport",
        "RequestReport",
        "ResponseReport",
    ]
    assert [one.attempt for one in told] == [1, 1, 1, 2, 2]
    assert {one.operation for one in told} == {"placeOrder"}
    assert (told[1].status, told[1].request_id, told[4].status) == (503, "req_1", 200)
    assert told[2].error.code == "checker_busy"
    assert len(caplog.records) >= 3
    assert "esk_secret" not in repr(told) + caplog.text


def test_a_token_may_be_fetched_for_each_request(client: Make, server: FlakyServer) -> None:
    tokens = iter(["one", "two", "three"])
    one = client(access_token=lambda: next(tokens))
    server.answers = [refusal(503, "checker_busy")]
    one.me()
    one.me()
    assert [seen.headers["authorization"] for seen in server.seen] == [
        f"Bearer {n}" for n in ("one", "two", "three")
    ]


def test_addresses_of_a_service() -> None:
    for url, base in {
        "http://h": "http://h/api/v1",
        "http://H:80/": "http://h/api/v1",
        "https://h/api/v1/": "https://h/api/v1",
        "https://h:8443/sub/": "https://h:8443/sub/api/v1",
        "http://[::1]:1/": "http://[::1]:1/api/v1",
    }.items():
        with Earnest(url) as one:
            assert one._transport.core.base_url == base
    for url in ("", "h", "ftp://h", "http://", "http://u@h", "http://h?q=1", "http://h#f"):
        with pytest.raises(ValueError, match="base_url has to be an http or https URL"):
            Earnest(url)
    with pytest.raises(TypeError, match="not both"):
        Earnest("http://h", api_key="esk_1", access_token="est_1")


def test_the_codes_are_those_of_the_document() -> None:
    assert {"not_found", "rate_limited", "outcome_unknown"} < set(error_codes)


@pytest.mark.parametrize("where", ["answer", "wait"])
def test_cancelling_a_task_cancels_its_call(server: FlakyServer, where: str) -> None:
    answer = Answer({}, fault="slow", delay=29) if where == "answer" else refusal(503, "x", retry_after="29")
    server.otherwise = lambda _: answer

    async def main() -> float:
        async with AsyncEarnest(server.url) as one:
            task = asyncio.create_task(one.me())
            while not server.seen:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            begin = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - begin

    assert asyncio.run(main()) < 20
    assert len(server.seen) == 1


def test_calls_of_one_async_client_run_beside_each_other(server: FlakyServer) -> None:
    together = threading.Barrier(10, timeout=60)

    def answer(seen: Seen) -> Answer:
        """Responds once all calls have come."""
        together.wait()
        return Answer({"path": seen.path})

    server.otherwise = answer

    async def main() -> list[Any]:
        async with AsyncEarnest(server.url) as one:
            calls = [one.with_response(one.orders.get, f"ord_{at}") for at in range(10)]
            return [dict(answer.data)["path"] for answer in await asyncio.gather(*calls)]

    assert asyncio.run(main()) == [f"/api/v1/orders/ord_{at}" for at in range(10)]
