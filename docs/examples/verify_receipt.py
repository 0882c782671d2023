# pip install cryptography rfc8785
import hashlib, json, urllib.request
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

def bytes_of(multibase: str, length: int) -> bytes:
    """The bytes of a `z` and base58; an error if they are not so many, or not in their only form."""
    value = 0
    for letter in multibase[1:]:
        value = 58 * value + alphabet.index(letter)
    decoded = value.to_bytes(length, "big")
    zeros = len(decoded) - len(decoded.lstrip(b"\0"))
    if multibase[0] != "z" or zeros != len(multibase) - 1 - len(multibase[1:].lstrip("1")):
        raise ValueError("not base58 in its only form")
    return decoded

def verify_signature(document: dict, issuer: str, did: dict) -> dict:
    """The statement, if the issuer's own key signed it; what follows below is still to be checked."""
    proof = document["proof"]
    statement = {name: value for name, value in document.items() if name != "proof"}
    options = {name: value for name, value in proof.items() if name != "proofValue"}
    method_id = proof["verificationMethod"]
    if statement["issuer"] != issuer or did["id"] != issuer or not method_id.startswith(issuer + "#"):
        raise ValueError("another issuer's")
    (method,) = [one for one in did["verificationMethod"] if one["id"] == method_id]
    if method_id not in did["assertionMethod"] or (method["type"], method["controller"]) != ("Multikey", issuer):
        raise ValueError("no key of the issuer's for statements")
    key = bytes_of(method["publicKeyMultibase"], 34)
    if key[:2] != b"\xed\x01":
        raise ValueError("no Ed25519 key")
    signed = b"".join(hashlib.sha256(rfc8785.dumps(part)).digest() for part in (options, statement))
    Ed25519PublicKey.from_public_bytes(key[2:]).verify(bytes_of(proof["proofValue"], 64), signed)
    return statement

issuer = "did:web:localhost%3A42069"
with urllib.request.urlopen("http://localhost:42069/.well-known/did.json", timeout=5) as page:
    did = json.loads(page.read(65_536))
with open("receipt.json") as file:
    print(verify_signature(json.load(file)["document"], issuer, did)["claim"])
