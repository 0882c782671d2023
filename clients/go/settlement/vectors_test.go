package settlement_test

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/earnest-market/earnest-go/settlement"
)

type vectors struct {
	Canonical []struct {
		JSON   string
		SHA256 string
	}
	TextHashes []struct {
		Text   string
		SHA256 string
	} `json:"text_hashes"`
	Agreements []struct {
		Name           string
		Document       json.RawMessage
		Contents       map[string]json.RawMessage
		ChainID        uint64          `json:"chain_id"`
		EscrowContract string          `json:"escrow_contract"`
		Terms          json.RawMessage `json:"terms"`
		OrderHash      string          `json:"order_hash"`
		EscrowID       string          `json:"escrow_id"`
		Implementation string
		DepositAddress string `json:"deposit_address"`
		PaymentNonce   string `json:"payment_nonce"`
	}
	WrongAgreements []struct {
		Name     string
		Document json.RawMessage
	} `json:"wrong_agreements"`
	Calls []struct {
		Function, To, Data, Value string
		Args                      map[string]any
	}
	TypedData []struct {
		Kind      string
		Inputs    map[string]any
		TypedData json.RawMessage `json:"typed_data"`
		Digest    string
	} `json:"typed_data"`
}

func read(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile("../../scenarios/protocol-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var read vectors
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestCanonicalHashes(t *testing.T) {
	all := read(t)
	for _, one := range all.Canonical {
		if hash, err := settlement.DigestOf([]byte(one.JSON)); err != nil || hash.String() != one.SHA256 {
			t.Errorf("%s: %s, %v", one.JSON, hash, err)
		}
	}
	for _, one := range all.TextHashes {
		if hash := settlement.HashOfText(one.Text); hash.String() != one.SHA256 {
			t.Errorf("%q: %s", one.Text, hash)
		}
	}
	if len(all.Canonical) == 0 || len(all.TextHashes) == 0 {
		t.Error("there are no cases")
	}
}

func TestAgreements(t *testing.T) {
	all := read(t)
	for _, one := range all.Agreements {
		escrow, err := settlement.ReadAgreement(one.Document)
		if err != nil {
			t.Errorf("%s: %v", one.Name, err)
			continue
		}
		for what, pair := range map[string][2]string{
			"order hash":     {escrow.Terms.OrderHash.String(), one.OrderHash},
			"contract":       {escrow.Contract.String(), one.EscrowContract},
			"escrow id":      {escrow.ID().String(), one.EscrowID},
			"implementation": {escrow.DepositImplementation().String(), one.Implementation},
			"deposit":        {escrow.DepositAddress().String(), one.DepositAddress},
			"payment nonce":  {escrow.PaymentNonce().String(), one.PaymentNonce},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: the %s is %s, not %s", one.Name, what, pair[0], pair[1])
			}
		}
		if escrow.ChainID != one.ChainID {
			t.Errorf("%s: the chain is %d", one.Name, escrow.ChainID)
		}
		var digests map[string]*string
		json.Unmarshal(one.Document, &digests)
		for name, content := range one.Contents {
			field := map[string]string{"input_payload": "input_digest"}[name]
			if field == "" {
				field = name + "_digest"
			}
			hash, err := settlement.DigestOf(content)
			if err != nil || (digests[field] == nil) != (string(content) == "null") || (digests[field] != nil && *digests[field] != hash.String()) {
				t.Errorf("%s: the digest of %s is %s, %v", one.Name, name, hash, err)
			}
		}
	}
	for _, one := range all.WrongAgreements {
		if escrow, err := settlement.ReadAgreement(one.Document); err == nil {
			t.Errorf("%s was taken: %+v", one.Name, escrow)
		}
	}
	for _, text := range []string{"", "null", "[]", `{"version": [1], "token": 3}`} {
		if _, err := settlement.ReadAgreement([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	if len(all.Agreements) == 0 || len(all.WrongAgreements) == 0 {
		t.Error("there are no cases")
	}
}

func number(t *testing.T, value any) *big.Int {
	t.Helper()
	text, _ := value.(string)
	read, isNumber := new(big.Int).SetString(text, 10)
	if !isNumber {
		t.Fatalf("%v is no number", value)
	}
	return read
}

func hash(t *testing.T, value any) settlement.Hash {
	t.Helper()
	text, _ := value.(string)
	read, err := settlement.ParseHash(text)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func address(t *testing.T, value any) settlement.Address {
	t.Helper()
	text, _ := value.(string)
	read, err := settlement.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func first(t *testing.T, all vectors) settlement.Escrow {
	t.Helper()
	escrow, err := settlement.ReadAgreement(all.Agreements[0].Document)
	if err != nil {
		t.Fatal(err)
	}
	return *escrow
}

func TestCalls(t *testing.T) {
	all := read(t)
	escrow := first(t, all)
	for _, one := range all.Calls {
		args := one.Args
		bytes := func(name string) []byte {
			text, _ := args[name].(string)
			read, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
			if err != nil {
				t.Fatal(err)
			}
			return read
		}
		signed := func() settlement.Signed {
			return settlement.Signed{Deadline: number(t, args["deadline"]), Signature: bytes("signature")}
		}
		plain := func(call settlement.Call) (settlement.Call, error) { return call, nil }
		made := map[string]func() (settlement.Call, error){
			"approve":                 func() (settlement.Call, error) { return plain(escrow.ApproveCall()) },
			"createEscrow":            func() (settlement.Call, error) { return plain(escrow.CreateEscrowCall()) },
			"createEscrowFromDeposit": func() (settlement.Call, error) { return plain(escrow.CreateEscrowFromDepositCall()) },
			"createEscrowWithAuthorization": func() (settlement.Call, error) {
				return escrow.CreateEscrowWithAuthorizationCall(settlement.Authorization{
					From: address(t, args["from"]), ValidAfter: number(t, args["validAfter"]), ValidBefore: number(t, args["validBefore"]),
					Nonce: hash(t, args["nonce"]), Signature: bytes("signature"),
				})
			},
			"createEscrowWithReceiveAuthorization": func() (settlement.Call, error) {
				return escrow.CreateEscrowWithReceiveAuthorizationCall(address(t, args["from"]), number(t, args["validBefore"]), bytes("signature"))
			},
			"release":        func() (settlement.Call, error) { return plain(escrow.ReleaseCall()) },
			"refund":         func() (settlement.Call, error) { return plain(escrow.RefundCall()) },
			"settleDispute":  func() (settlement.Call, error) { return plain(escrow.SettleDisputeCall()) },
			"returnDeposit":  func() (settlement.Call, error) { return plain(escrow.ReturnDepositCall()) },
			"recordDelivery": func() (settlement.Call, error) { return plain(escrow.RecordDeliveryCall(hash(t, args["outputHash"]))) },
			"recordPart": func() (settlement.Call, error) {
				return escrow.RecordPartCall(number(t, args["earned"]), hash(t, args["workHash"]), args["isFinal"].(bool))
			},
			"recordPartWithSignature": func() (settlement.Call, error) {
				return escrow.RecordSignedPartCall(number(t, args["earned"]), hash(t, args["workHash"]), args["isFinal"].(bool), signed())
			},
			"useVoucher": func() (settlement.Call, error) {
				return escrow.VoucherCall(number(t, args["cumulativeAmount"]), hash(t, args["workHash"]), bytes("signature"))
			},
			"releasePart": func() (settlement.Call, error) { return plain(escrow.ReleasePartCall()) },
			"dispute":     func() (settlement.Call, error) { return plain(escrow.DisputeCall(hash(t, args["reasonHash"]))) },
			"recordDeliveryWithSignature": func() (settlement.Call, error) {
				return escrow.RecordSignedDeliveryCall(hash(t, args["outputHash"]), signed())
			},
			"decideDispute": func() (settlement.Call, error) {
				return escrow.DecideDisputeCall(number(t, args["providerAmount"]), hash(t, args["rulingHash"]))
			},
			"decideDisputeWithSignature": func() (settlement.Call, error) {
				return escrow.SignedDecisionCall(number(t, args["providerAmount"]), hash(t, args["rulingHash"]), signed())
			},
			"releaseWithSignature": func() (settlement.Call, error) { return escrow.SignedReleaseCall(signed()) },
			"refundWithSignature":  func() (settlement.Call, error) { return escrow.SignedRefundCall(signed()) },
			"disputeWithSignature": func() (settlement.Call, error) {
				return escrow.SignedDisputeCall(address(t, args["party"]), hash(t, args["reasonHash"]), signed())
			},
		}[one.Function]
		if made == nil {
			t.Errorf("nothing makes the call %s", one.Function)
			continue
		}
		call, err := made()
		if err != nil {
			t.Errorf("%s: %v", one.Function, err)
			continue
		}
		if err := call.Matches(one.To, one.Data, one.Value); err != nil || call.Function != one.Function {
			t.Errorf("%s: %v", one.Function, err)
		}
		if call.Matches(one.To, one.Data+"00", "0") == nil || call.Matches(one.To, one.Data, "1") == nil || call.Matches(strings.Repeat("0", 42), one.Data, "0") == nil {
			t.Errorf("%s: another call was taken for it", one.Function)
		}
	}
	if len(all.Calls) < 21 {
		t.Errorf("only %d calls", len(all.Calls))
	}
	if _, err := escrow.DecideDisputeCall(big.NewInt(-1), settlement.Hash{}); err == nil {
		t.Error("a negative share was encoded")
	}
	if _, err := escrow.VoucherCall(big.NewInt(-1), settlement.Hash{}, nil); err == nil {
		t.Error("a negative voucher was encoded")
	}
	if _, err := escrow.SignedReleaseCall(settlement.Signed{}); err == nil {
		t.Error("no deadline was encoded")
	}
}

func TestTypedData(t *testing.T) {
	all := read(t)
	escrow := first(t, all)
	for _, one := range all.TypedData {
		in := one.Inputs
		made := map[string]func() settlement.TypedData{
			"release": func() settlement.TypedData { return escrow.Release(number(t, in["deadline"])) },
			"refund":  func() settlement.TypedData { return escrow.Refund(number(t, in["deadline"])) },
			"dispute": func() settlement.TypedData {
				return escrow.Dispute(hash(t, in["reason_hash"]), number(t, in["deadline"]))
			},
			"record_delivery": func() settlement.TypedData {
				return escrow.RecordDelivery(hash(t, in["output_hash"]), uint32(in["number"].(float64)), number(t, in["deadline"]))
			},
			"record_part": func() settlement.TypedData {
				return escrow.RecordPart(number(t, in["earned"]), hash(t, in["work_hash"]), in["is_final"].(bool), uint32(in["number"].(float64)), number(t, in["deadline"]))
			},
			"voucher": func() settlement.TypedData {
				return escrow.Voucher(number(t, in["cumulative_amount"]), hash(t, in["work_hash"]))
			},
			"close": func() settlement.TypedData {
				return escrow.Close(number(t, in["provider_amount"]), number(t, in["deadline"]))
			},
			"decide_dispute": func() settlement.TypedData {
				return escrow.Decision(number(t, in["provider_amount"]), hash(t, in["ruling_hash"]), number(t, in["deadline"]))
			},
			"transfer_with_authorization": func() settlement.TypedData {
				token := settlement.Token{Name: in["token_name"].(string), Version: in["token_version"].(string)}
				return escrow.TransferAuthorization(token, address(t, in["from"]), number(t, in["valid_before"]), hash(t, in["nonce"]))
			},
			"receive_with_authorization": func() settlement.TypedData {
				token := settlement.Token{Name: in["token_name"].(string), Version: in["token_version"].(string)}
				return escrow.ReceiveAuthorization(token, address(t, in["from"]), number(t, in["valid_before"]))
			},
			"permit2": func() settlement.TypedData {
				return escrow.PermitTransfer(number(t, in["nonce"]), number(t, in["deadline"]))
			},
		}[one.Kind]
		if made == nil {
			t.Errorf("nothing makes %s", one.Kind)
			continue
		}
		data := made()
		if err := data.Matches(one.TypedData); err != nil {
			t.Errorf("%s: %v", one.Kind, err)
		}
		if digest, err := data.Digest(); err != nil || digest.String() != one.Digest {
			t.Errorf("%s: %s, %v", one.Kind, digest, err)
		}
		data.Message["more"] = "1"
		if data.Matches(one.TypedData) == nil {
			t.Errorf("%s: other data were taken for it", one.Kind)
		}
	}
	if len(all.TypedData) < 12 {
		t.Errorf("only %d of typed data", len(all.TypedData))
	}
	text := escrow.RecordPart(big.NewInt(1), settlement.Hash{}, true, 1, big.NewInt(1))
	text.Message["isFinal"] = "true"
	if _, err := text.Digest(); err == nil {
		t.Error("a text was hashed as true")
	}
}
