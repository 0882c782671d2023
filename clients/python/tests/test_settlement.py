import json
from decimal import Decimal
from typing import Any, Callable

import pytest
from eth_account import Account
from eth_account.messages import encode_typed_data
from vectors import read_vectors

from earnest import LocalWallet, settlement, to_base_units
from earnest._core.exact import from_base_units, parse_amount
from earnest.buying import payment_nonce

vectors = read_vectors("clients/scenarios/protocol-vectors.json")
escrow = settlement.derive_deposit(vectors["agreements"][0]["document"])
wallet = LocalWallet(vectors["wallet"]["private_key"])


def named(cases: list[dict[str, Any]], key: str = "name") -> Any:
    return [pytest.param(case, id=str(case[key])) for case in cases]


@pytest.mark.parametrize("case", named(vectors["canonical"], "json"))
def test_canonical_json(case: dict[str, Any]) -> None:
    assert settlement.digest_of(json.loads(case["json"])) == case["sha256"]


def test_what_has_no_json_form_has_no_digest() -> None:
    for value in (float("nan"), float("inf"), object(), {1: 2}, "\ud800", 10**400, {"a": {1, 2}}):
        with pytest.raises(TypeError, match="no JSON form"):
            settlement.digest_of(value)


@pytest.mark.parametrize("case", named(vectors["text_hashes"], "text"))
def test_hash_of_text(case: dict[str, Any]) -> None:
    assert settlement.hash_of_text(case["text"]) == case["sha256"]


@pytest.mark.parametrize("case", named(vectors["agreements"]))
def test_derive_deposit(case: dict[str, Any]) -> None:
    document, contents = case["document"], case["contents"]
    derived = settlement.derive_deposit(document)
    terms = case["terms"]
    assert derived == settlement.DerivedDeposit(
        chain_id=case["chain_id"],
        escrow_contract=case["escrow_contract"],
        terms=settlement.Terms(
            terms["buyer"],
            terms["provider"],
            terms["token"],
            int(terms["amount"]),
            terms["fundBy"],
            terms["deliveryWindow"],
            terms["acceptanceWindow"],
            terms["disputeWindow"],
            terms["appealWindow"],
            terms["arbiter"],
            terms["orderHash"],
        ),
        escrow_id=case["escrow_id"],
        implementation=case["implementation"],
        deposit_address=case["deposit_address"],
    )
    assert derived.terms.order_hash == case["order_hash"]
    for name in ("input_schema", "output_schema"):
        expected = None if contents[name] is None else settlement.digest_of(contents[name])
        assert document[f"{name}_digest"] == expected
    assert payment_nonce(derived.escrow_id) == case["payment_nonce"]
    # The hash binds the members of an agreement besides its terms.
    other = settlement.derive_deposit({**document, "service_title": "another"})
    assert other.deposit_address != derived.deposit_address


@pytest.mark.parametrize("case", named(vectors["wrong_agreements"]))
def test_what_is_no_agreement_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="This is no agreement"):
        settlement.derive_deposit(case["document"])


def test_every_fault_of_an_agreement_is_named() -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the text is looked at below
        settlement.derive_deposit({"token": 1})
    for name in ("version", "chain", "escrow_contract", "token", "token.address", "fund_by", "arbiter"):
        assert f"{name} must" in str(refused.value)


h, deadline, signature = "0x" + "1" * 64, 1_795_426_200, "0x" + "5a" * 64 + "1b"
made_calls: dict[str, Callable[[], settlement.Call]] = {
    "approve": lambda: settlement.approve_call(escrow),
    "createEscrow": lambda: settlement.create_escrow_call(escrow),
    "createEscrowFromDeposit": lambda: settlement.create_escrow_from_deposit_call(escrow),
    "createEscrowWithAuthorization": lambda: settlement.create_escrow_with_authorization_call(
        escrow,
        payer=wallet.address,
        valid_after=0,
        valid_before=1_795_340_000,
        nonce="0x" + "9" * 64,
        signature=signature,
    ),
    "createEscrowWithReceiveAuthorization": lambda: settlement.create_escrow_with_receive_authorization_call(
        escrow, payer=wallet.address, valid_before=1_795_340_000, signature=signature
    ),
    "release": lambda: settlement.release_call(escrow),
    "refund": lambda: settlement.refund_call(escrow),
    "settleDispute": lambda: settlement.settle_dispute_call(escrow),
    "recordDelivery": lambda: settlement.record_delivery_call(escrow, h),
    "recordDeliveryWithSignature": lambda: settlement.signed_delivery_call(
        escrow, output_hash=h, deadline=deadline, signature=signature
    ),
    "recordPart": lambda: settlement.record_part_call(escrow, earned=750_000, work_hash=h, is_final=True),
    "recordPartWithSignature": lambda: settlement.signed_part_call(
        escrow, earned=750_000, work_hash=h, is_final=True, deadline=deadline, signature=signature
    ),
    "useVoucher": lambda: settlement.voucher_call(
        escrow, cumulative_amount=750_000, work_hash=h, signature=signature
    ),
    "useVoucher of the buyer": lambda: settlement.voucher_call(
        escrow, cumulative_amount=750_000, work_hash=h
    ),
    "releasePart": lambda: settlement.release_part_call(escrow),
    "dispute": lambda: settlement.dispute_call(escrow, "0x" + "0" * 64),
    "decideDispute": lambda: settlement.decide_dispute_call(
        escrow, provider_amount=1_250_000, ruling_hash="0x" + "2" * 64
    ),
    "decideDisputeWithSignature": lambda: settlement.signed_decision_call(
        escrow,
        provider_amount=1_250_000,
        ruling_hash="0x" + "2" * 64,
        deadline=deadline,
        signature=signature,
    ),
    "releaseWithSignature": lambda: settlement.signed_release_call(
        escrow, deadline=deadline, signature=signature
    ),
    "refundWithSignature": lambda: settlement.signed_refund_call(
        escrow, deadline=deadline, signature=signature + "ff"
    ),
    "disputeWithSignature": lambda: settlement.signed_dispute_call(
        escrow,
        party=escrow.terms.provider,
        reason_hash="0x" + "3" * 64,
        deadline=deadline,
        signature=signature,
    ),
    "returnDeposit": lambda: settlement.return_deposit_call(escrow),
}


def name_call(case: dict[str, Any]) -> str:
    """Returns the function of a call. A call without its signature has a name of its own."""
    name: str = case["function"]
    return f"{name} of the buyer" if case["args"].get("signature") == "0x" else name


@pytest.mark.parametrize("case", named(vectors["calls"], "function"))
def test_calls(case: dict[str, Any]) -> None:
    made = made_calls[name_call(case)]()
    assert (made.function, made.to, made.data) == (case["function"], case["to"], case["data"])


def test_every_call_has_a_vector() -> None:
    assert {name_call(case) for case in vectors["calls"]} == set(made_calls)


def make_typed_data(kind: str, inputs: dict[str, Any]) -> settlement.TypedData:
    numbers = {"deadline", "provider_amount", "earned", "cumulative_amount", "valid_before"} | (
        {"nonce"} if kind == "permit2" else set()
    )
    given: dict[str, Any] = {name: int(value) if name in numbers else value for name, value in inputs.items()}
    if kind == "transfer_with_authorization":
        return settlement.transfer_authorization_data(escrow, payer=given.pop("from"), **given)
    if kind == "receive_with_authorization":
        return settlement.receive_authorization_data(escrow, payer=given.pop("from"), **given)
    makers: dict[str, Callable[..., settlement.TypedData]] = {
        "release": settlement.release_data,
        "refund": settlement.refund_data,
        "dispute": settlement.dispute_data,
        "record_delivery": settlement.record_delivery_data,
        "record_part": settlement.record_part_data,
        "voucher": settlement.voucher_data,
        "close": settlement.close_data,
        "decide_dispute": settlement.decision_data,
        "permit2": settlement.permit_data,
    }
    return makers[kind](escrow, **given)


@pytest.mark.parametrize("case", named(vectors["typed_data"], "kind"))
def test_typed_data(case: dict[str, Any]) -> None:
    data = make_typed_data(case["kind"], case["inputs"])
    assert data == case["typed_data"]
    assert wallet.sign_typed_data(data) == case["signature"]
    message = encode_typed_data(full_message=data)
    assert Account.recover_message(message, signature=case["signature"]) == wallet.address


@pytest.mark.parametrize("case", named(vectors["amounts"], "text"))
def test_amounts(case: dict[str, Any]) -> None:
    text, decimals = case["text"], case["decimals"]
    units = None if case["base_units"] is None else int(case["base_units"])
    assert parse_amount(text, decimals) == units
    if units is None:
        with pytest.raises(TypeError, match="is not an amount"):
            to_base_units(text, decimals)
    else:
        assert to_base_units(Decimal(text), decimals) == units
        assert from_base_units(units, decimals) == case["written"]


def test_a_float_is_no_amount() -> None:
    for value in (1.5, 12, True, None, Decimal("NaN"), Decimal("Infinity"), Decimal("-1"), b"1"):
        with pytest.raises(TypeError, match="exact decimal as text"):
            to_base_units(value, 6)  # type: ignore[arg-type]
    assert to_base_units(Decimal("1E+3"), 6) == 1_000_000_000
    assert to_base_units(Decimal("-0"), 6) == 0
    for units in (1.0, -1, True, "1"):
        with pytest.raises(TypeError, match="Base units have to be an int"):
            from_base_units(units, 6)  # type: ignore[arg-type]


def test_addresses_have_their_checksum() -> None:
    for address in (escrow.terms.buyer, escrow.escrow_contract, escrow.deposit_address):
        assert settlement.checksum_address(address.lower()) == address
        assert settlement.checksum_address("0x" + address[2:].upper()) == address
    for text in ("", "0x12", escrow.terms.buyer + "\n", "1x" + escrow.terms.buyer[2:]):
        with pytest.raises(ValueError, match="is not an address"):
            settlement.checksum_address(text)
