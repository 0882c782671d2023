"""The reasons for which a receipt, an offer or the chain's answer is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RECEIPT_ERRORS: dict[str, str] = {
    "invalid_issuer": "The expected issuer is not a did:web identifier in its normal form.",
    "malformed": "The input cannot be read as JSON or as a compact JWS.",
    "too_large": "The input is larger than any receipt.",
    "duplicate_member": "A JSON object names the same member twice.",
    "invalid_number": "A number is not a whole number of less than 2^53, written plainly.",
    "wrong_kind": "The input is of another kind: an offer, a JWS, a settlement document, a statement or something else.",
    "invalid_shape": "A field is missing, not allowed or not in its exact form.",
    "invalid_encoding": "Base64url or base58 is not canonical, or a signature does not have 64 bytes.",
    "missing_proof": "The document has no proof.",
    "invalid_proof": "The proof has a missing, malformed or unknown field.",
    "unsupported_cryptosuite": "The proof is not a DataIntegrityProof of eddsa-jcs-2022.",
    "wrong_proof_purpose": "The purpose of the proof is not assertionMethod.",
    "unsupported_algorithm": "The JWS algorithm is not EdDSA.",
    "unsupported_critical_header": "The JWS names critical header parameters.",
    "foreign_issuer": "The document does not name the expected issuer.",
    "foreign_key": "The signing key is not a key of the expected issuer.",
    "foreign_resource": "The resource is not below the expected issuer's URL.",
    "keys_unavailable": "The issuer's DID document could not be fetched.",
    "invalid_key_document": "The issuer's DID document is invalid or names another subject.",
    "unknown_key": "The issuer's DID document does not list the signing key for assertions.",
    "key_not_yet_valid": "The time of signing is before the key's validity.",
    "key_retired": "The time of signing is after the key's retirement.",
    "key_compromised": "The signing key is compromised, so the time of signing in the receipt proves nothing.",
    "invalid_signature": "The signature does not match.",
    "issued_in_future": "The time of signing lies in the future.",
    "offer_expired": "The offer has expired.",
    "statement_expired": "The statement has expired.",
    "unexpected_value": "A field does not have the expected value.",
    "receipt_revoked": "The issuer revoked the receipt, because its event left the chain.",
    "status_not_asked": "The caller skipped the issuer's list of revoked receipts.",
    "status_not_published": "The issuer's DID document names no list of revoked receipts on its own host.",
    "status_unavailable": "The issuer's list of revoked receipts could not be fetched.",
    "status_invalid": "The list of revoked receipts is invalid or of another issuer.",
    "status_expired": "The list of revoked receipts has expired.",
    "key_log_unavailable": "The issuer's key log could not be fetched, or the DID document names none on the issuer's host.",
    "key_log_broken": "An entry of the key log does not follow the previous entry.",
    "key_log_foreign_signer": "The required key did not sign an entry of the key log.",
    "key_log_bad_change": "An entry of the key log makes a forbidden change.",
    "key_log_differs": "The keys of the issuer's DID document differ from those at the end of the key log.",
    "key_log_rewritten": "The key log does not contain the pinned entry: its history was changed.",
    "wrong_chain": "The client is not connected to the receipt's chain.",
    "chain_unreachable": "The chain could not be reached.",
    "transaction_not_found": "The chain does not have the transaction.",
    "transaction_reverted": "The transaction reverted.",
    "block_mismatch": "The transaction is in another block.",
    "log_not_found": "The transaction has no such log.",
    "contract_mismatch": "The log comes from another contract.",
    "event_mismatch": "The log is not the event of the claim.",
    "escrow_mismatch": "The event is about another escrow.",
    "agreement_mismatch": "The escrow commits to another agreement.",
    "party_mismatch": "The event names another buyer or provider.",
    "token_mismatch": "The event names another token.",
    "amount_mismatch": "The event names another amount.",
    "terms_mismatch": "The receipt's terms do not hash to the escrow's id.",
    "too_few_confirmations": "The block has too few confirmations.",
}
"""Each code with its meaning. The codes are stable: programs may branch on them."""


@dataclass(frozen=True)
class ReceiptFailure:
    """The refused result. Every verifying function returns it instead of raising."""

    code: str
    message: str
    """The fault and its place, for people."""
    status: Literal["revoked"] | None = None
    """The time of the revocation, if the issuer revoked the receipt."""
    valid: Literal[False] = False


class Rejection(Exception):
    """Carries a code from the failed check to the verifying function. It never leaves this package."""

    def __init__(self, code: str, detail: str = "") -> None:
        meaning = RECEIPT_ERRORS[code]
        super().__init__(f"{meaning} {detail}" if detail else meaning)
        self.code = code
