# Buys, pays, releases and verifies one order by plain requests: docs/tour.md.

# The API, the chain's node, and small helpers: a field of a JSON answer, and a call of the node.
API=${API:-http://localhost:42069/api/v1}
RPC=${RPC:-http://127.0.0.1:8545}
get() { node -pe "JSON.parse(fs.readFileSync(0)).$1"; }
of() { printf '%s' "$1" | get "$2"; }
json() { curl -s -H 'content-type: application/json' "$@"; }
rpc() { json "$RPC" -d "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"$1\", \"params\": $2}" | get result; }

# 1. What is offered. Anybody may look.
curl -s "$API/marketplace/services?q=statistics" | get "items[0].title"
SERVICE=$(curl -s "$API/marketplace/services?q=statistics" | get "items[0].id")

# 2. Sign in with a wallet: anvil's account 5, whose key the local node holds.
ME=0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc
CHALLENGE=$(json "$API/auth/nonce" -d "{\"address\": \"$ME\", \"chain_id\": 31337}")
MESSAGE=$(of "$CHALLENGE" message)
HEX=$(printf '%s' "$MESSAGE" | od -An -v -tx1 | tr -d ' \n')
SIGNATURE=$(rpc personal_sign "[\"0x$HEX\", \"$ME\"]")
PROOF=$(printf "%s" "$CHALLENGE" |
  node -pe "const {message, nonce} = JSON.parse(fs.readFileSync(0)); JSON.stringify({message, nonce, signature: '$SIGNATURE'})")
SESSION=$(json "$API/auth/signin" -d "$PROOF" | get tokens.access_token)

# 3. A key that may only order. Its token is shown this once.
KEY=$(json "$API/api-keys" -H "Authorization: Bearer $SESSION" \
  -d '{"name": "tour", "scopes": ["orders:read", "orders:write"]}' | get token)

# 4. Order. An input that breaks the service's schema is refused with every violation and its path.
json "$API/orders" -H "X-API-Key: $KEY" -d "{\"service_id\": \"$SERVICE\", \"input_payload\": {\"text\": 7}}"; echo
ORDER=$(json "$API/orders" -H "X-API-Key: $KEY" \
  -d "{\"service_id\": \"$SERVICE\", \"input_payload\": {\"text\": \"To be or not to be.\"}}" | get id)

# 5. Pay: mint test money, then send the two calls of the payment instructions from your own wallet.
DUE=$(curl -s "$API/orders/$ORDER/payment-instructions" -H "X-API-Key: $KEY")
TOKEN=$(of "$DUE" token_address)
AMOUNT=$(of "$DUE" amount_base_units)
MINT=$(node -pe "'0x40c10f19' + '$ME'.slice(2).padStart(64, '0') + BigInt($AMOUNT).toString(16).padStart(64, '0')")
send() { rpc eth_sendTransaction "[{\"from\": \"$ME\", \"to\": \"$1\", \"data\": \"$2\"}]"; }
send "$TOKEN" "$MINT"
for CALL in 0 1; do
  send "$(of "$DUE" "calls[$CALL].to")" "$(of "$DUE" "calls[$CALL].data")"
done

# 6. The chain is the only witness of money: wait until the service saw it there.
until [ "$(curl -s "$API/orders/$ORDER" -H "X-API-Key: $KEY" | get status)" = funded ]; do sleep 1; done
curl -s "$API/orders/$ORDER/events" -H "X-API-Key: $KEY" | get "items.map(({type}) => type).join(', ')"

# 7. What can be done now, each with its raw contract call: nobody needs this service to reach their money.
curl -s "$API/orders/$ORDER/settlement-options" -H "X-API-Key: $KEY" |
  get "actions.map(({action, available, reason}) => action + ': ' + (available ? 'yes' : reason)).join('\n')"

# 8. Release the money (the buyer may, delivered or not), and check the receipt against published keys and the chain.
OPTIONS=$(curl -s "$API/orders/$ORDER/settlement-options" -H "X-API-Key: $KEY")
RELEASE="actions.find(({action}) => action === 'release').call"
send "$(of "$OPTIONS" "$RELEASE.to")" "$(of "$OPTIONS" "$RELEASE.data")"
until [ "$(curl -s "$API/orders/$ORDER" -H "X-API-Key: $KEY" | get status)" = released ]; do sleep 1; done
RECEIPT=$(curl -s "$API/orders/$ORDER/receipts" -H "X-API-Key: $KEY" | get "items.at(-1).id")
npm run -s verify -- "$API/receipts/$RECEIPT" --issuer "did:web:$(echo "$API" | cut -d/ -f3 | sed 's/:/%3A/')" --rpc "$RPC"
