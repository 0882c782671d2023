# Pays the order $ORDER with curl, and with a wallet behind JSON-RPC at $WALLET.

INSTRUCTIONS=$(curl -s "$BASE/orders/$ORDER/payment-instructions" -H "X-API-Key: $KEY")
TYPED_DATA=$(echo "$INSTRUCTIONS" | node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)).typed_data)')
MESSAGE=$(echo "$TYPED_DATA" | node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)).message)')
PAYER=$(echo "$MESSAGE" | node -p 'JSON.parse(fs.readFileSync(0)).from')

SIGNATURE=$(curl -s "$WALLET" -H 'content-type: application/json' -d "{\"jsonrpc\": \"2.0\", \"id\": 1,
  \"method\": \"eth_signTypedData_v4\", \"params\": [\"$PAYER\", $TYPED_DATA]}" |
  node -p 'JSON.parse(fs.readFileSync(0)).result')

curl -s "$BASE/orders/$ORDER/payment" -H "X-API-Key: $KEY" -H 'content-type: application/json' \
  -d "{\"signature\": \"$SIGNATURE\", \"authorization\": $MESSAGE}"
