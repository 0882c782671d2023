package receipts

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/earnest-market/earnest-go/settlement"
)

// The topics of the escrow contract's events.
const (
	escrowCreated = "0x7220d810e7d4d72b1a6ad31ae7d06f7a40bb75cc3b485b6c8d40116ecff7f669"
	released      = "0xf841af1340fe1d6814e6ec7893c8cc8939c12ee8d084afe073c5b10dc8fc794c"
	partReleased  = "0x9372a56fcc45b9a4685f7fc75667e4e42b467b3429dfd5e2074d6255ff9933f3"
	refunded      = "0x2e0668a62a5f556368dca9c7113e20f2852c05155548243804bf714ce72b25a6"
)

// compareEvent compares a log with the claim, by the words of the claim's event.
func compareEvent(document SettlementDocument, log Log) error {
	data, err := wordsOf(log)
	if err != nil || len(log.Topics) == 0 {
		return refuse(EventMismatch, "it is no event of the escrow contract")
	}
	topic := strings.ToLower(log.Topics[0])
	party, expected, words := document.Provider, released, 1
	if document.Claim == "refunded" {
		party, expected = document.Buyer, refunded
	}
	sum := document.Amount
	if document.ReleasedSoFar != nil {
		expected, words, sum = partReleased, 3, *document.ReleasedSoFar
	}
	if document.Claim == "funded" {
		if topic != escrowCreated || len(log.Topics) != 4 || len(data) != 11 {
			return refuse(EventMismatch, "it is %s, the claim is funded", topic)
		}
		return firstError(
			same(EscrowMismatch, log.Topics[1], document.EscrowID),
			same(AgreementMismatch, log.Topics[2], document.AgreementHash),
			same(PartyMismatch, data[0], wordOf(document.Buyer)),
			same(PartyMismatch, data[1], wordOf(document.Provider)),
			same(TokenMismatch, data[2], wordOf(document.Token)),
			same(AmountMismatch, data[3], amountWord(document.Amount)),
		)
	}
	if topic != expected || len(log.Topics) != 4 || len(data) != words {
		return refuse(EventMismatch, "it is %s, the claim is %s", topic, document.Claim)
	}
	return firstError(
		same(EscrowMismatch, log.Topics[1], document.EscrowID),
		same(PartyMismatch, log.Topics[2], wordOf(party)),
		same(TokenMismatch, log.Topics[3], wordOf(document.Token)),
		same(AmountMismatch, data[0], amountWord(document.Amount)),
		same(AmountMismatch, data[max(words-2, 0)], amountWord(sum)),
	)
}

func firstError(problems ...error) error {
	for _, problem := range problems {
		if problem != nil {
			return problem
		}
	}
	return nil
}

func wordsOf(log Log) ([]string, error) {
	digits := strings.TrimPrefix(log.Data, "0x")
	if _, err := hex.DecodeString(digits); err != nil || len(digits)%64 != 0 {
		return nil, errors.New("the data are no words")
	}
	var words []string
	for ; digits != ""; digits = digits[64:] {
		words = append(words, "0x"+digits[:64])
	}
	return words, nil
}

func wordOf(address string) string {
	return "0x" + strings.Repeat("0", 24) + strings.TrimPrefix(address, "0x")
}

func amountWord(amount string) string {
	units, _ := new(big.Int).SetString(amount, 10)
	return fmt.Sprintf("0x%064x", units)
}

func same(code Code, actual, stated string) error {
	if strings.EqualFold(actual, stated) {
		return nil
	}
	return refuse(code, "the chain has %s, the receipt says %s", actual, stated)
}

// escrowIDOf computes the escrow's id as the contract does.
func escrowIDOf(document SettlementDocument) (string, error) {
	id, err := strconv.ParseUint(strings.TrimPrefix(document.Chain, "eip155:"), 10, 64)
	amount, isNumber := new(big.Int).SetString(document.Terms.Amount, 10)
	if err != nil || !isNumber {
		return "", refuse(InvalidShape, "its chain or amount is no number")
	}
	address := func(text string) settlement.Address {
		read, problem := settlement.ParseAddress(text)
		err = errors.Join(err, problem)
		return read
	}
	hash, problem := settlement.ParseHash(document.AgreementHash)
	err = errors.Join(err, problem)
	terms := document.Terms
	escrow := settlement.Escrow{
		ChainID: id, Contract: address(document.Contract),
		Terms: settlement.Terms{
			Buyer: address(document.Buyer), Provider: address(document.Provider), Token: address(document.Token), Amount: amount,
			FundBy: uint64(terms.FundBy), DeliveryWindow: uint64(terms.DeliveryWindow),
			AcceptanceWindow: uint64(terms.AcceptanceWindow), DisputeWindow: uint64(terms.DisputeWindow),
			AppealWindow: uint64(terms.AppealWindow), Arbiter: address(terms.Arbiter), OrderHash: hash,
		},
	}
	if err != nil {
		return "", refuse(InvalidShape, "%v", err)
	}
	return escrow.ID().String(), nil
}
