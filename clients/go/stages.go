package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/earnest-market/earnest-go/settlement"
)

// StageNotDeliveredError says that another stage than the named one waits for the buyer, or none. Nothing was signed.
type StageNotDeliveredError struct {
	OrderID string
	Stage   int64
	// Waiting is the stage that waits; 0 if none does.
	Waiting int64
}

func (e *StageNotDeliveredError) Error() string {
	if e.Waiting > 0 {
		return fmt.Sprintf("earnest: stage %d of %s waits, not stage %d", e.Waiting, e.OrderID, e.Stage)
	}
	return fmt.Sprintf("earnest: stage %d of %s is not delivered", e.Stage, e.OrderID)
}

// AcceptStage pays the delivered stage of an order by the buyer's signature, without gas, and waits until the service has seen
// the payment. Then AwaitDelivery waits for the next stage. After the last stage, Accept returns the receipt of the order. The
// signature pays all stages up to the number, which counts from 1. If another stage waits, it is a *StageNotDeliveredError. A
// payment that the contract refuses is a *RelayFailedError; the same call sends it again.
func (c *Client) AcceptStage(ctx context.Context, orderID string, number int64, options SettleOptions, opts ...Option) (*Order, error) {
	rest := withoutKey(opts)
	isSent := false
	return c.waitFor(ctx, orderID, options.Poll, rest, func(order *Order) (bool, error) {
		if number > 0 && number <= int64(len(order.Stages)) && order.Stages[number-1].State == StageStateAccepted {
			return true, nil
		}
		if isOver(order) {
			return false, &OrderEndedError{OrderID: orderID, Status: order.Status, Awaited: OrderStatus(StageStateAccepted)}
		}
		if isSent {
			return false, c.releaseFailure(ctx, orderID, rest)
		}
		agreed, err := c.readAgreed(ctx, order, rest)
		if err != nil {
			return false, err
		}
		waiting, err := agreed.waitingStage(order)
		if err != nil {
			return false, err
		}
		if waiting == nil || waiting.number != number {
			missing := &StageNotDeliveredError{OrderID: orderID, Stage: number}
			if waiting != nil {
				missing.Waiting = waiting.number
			}
			return false, missing
		}
		given, err := c.Orders.GetReleaseToSign(ctx, orderID, rest...)
		if err != nil {
			return false, err
		}
		signature, deadline, err := c.signAct(ctx, order, given.TypedData, options.Wallet, rest, releaseData)
		if err != nil {
			return false, err
		}
		_, err = c.Orders.Release(ctx, orderID, SignedActRequest{Signature: signature, Deadline: deadline}, opts...)
		// A call from before a crash, or of another process, may be in progress.
		if err != nil && !errors.Is(err, ErrorCodeConflict) {
			return false, err
		}
		isSent = true
		return false, nil
	})
}

// releaseFailure returns the failure of a sent release that the contract refused, or nil.
func (c *Client) releaseFailure(ctx context.Context, orderID string, opts []Option) error {
	shown, err := c.Orders.GetReleaseToSign(ctx, orderID, opts...)
	if errors.Is(err, ErrorCodeInvalidState) {
		// Nothing more is to sign: the call is on the chain, and soon in the order.
		return nil
	}
	if err != nil {
		return err
	}
	return relayFailure(orderID, "release", shown.Relay)
}

// hasStages reports whether an order is paid in stages. The order that the service shows has no say in this.
func (a *agreedOrder) hasStages() bool { return a.document["stages"] != nil }

// agreedStage is a stage as an agreement lists it.
type agreedStage struct {
	Title              string    `json:"title"`
	AmountBaseUnits    BaseUnits `json:"amount_base_units"`
	Hours              int64     `json:"hours"`
	OutputSchemaDigest *string   `json:"output_schema_digest"`
}

// stages returns the stages of the agreement.
func (a *agreedOrder) stages() ([]agreedStage, error) {
	text, err := json.Marshal(a.document["stages"])
	if err != nil {
		return nil, err
	}
	var stages []agreedStage
	if err := json.Unmarshal(text, &stages); err != nil {
		return nil, &NotAsAgreedError{OrderID: a.id, Field: "agreement.stages", Expected: "a list of stages", Found: string(text)}
	}
	return stages, nil
}

// waitingStage is a delivered stage that waits for the buyer.
type waitingStage struct {
	// number counts from 1.
	number int64
	// sum has the base units of all stages up to this one, which its payment covers.
	sum     *big.Int
	isFinal bool
}

// waitingStage finds the delivered stage of an order, with its sum by the agreement. It is nil for an order without stages, or
// while no stage waits. The service alone says which stage is delivered.
func (a *agreedOrder) waitingStage(order *Order) (*waitingStage, error) {
	if !a.hasStages() {
		return nil, nil
	}
	agreed, err := a.stages()
	if err != nil {
		return nil, err
	}
	compare := comparison{orderID: a.id}
	if compare.same("order.stages", len(agreed), len(order.Stages)); compare.err != nil {
		return nil, compare.err
	}
	sum, accepted, index := new(big.Int), 0, -1
	for i, stage := range order.Stages {
		amount, err := agreed[i].AmountBaseUnits.Int()
		if err != nil || amount.Sign() < 0 {
			found := string(agreed[i].AmountBaseUnits)
			return nil, &NotAsAgreedError{OrderID: a.id, Field: "agreement.stages", Expected: "amounts in base units", Found: found}
		}
		compare.same(fmt.Sprintf("order.stages[%d].amount_base_units", i), amount.String(), stage.AmountBaseUnits)
		if index < 0 {
			sum.Add(sum, amount)
		}
		isWaiting := slices.Contains([]StageState{StageStateDelivered, StageStateDisputed}, stage.State)
		if isWaiting && index < 0 {
			index = i
		}
		if stage.State == StageStateAccepted {
			accepted++
		}
	}
	if index < 0 || compare.err != nil {
		return nil, compare.err
	}
	compare.same("order.stages", index, accepted)
	return &waitingStage{number: int64(index + 1), sum: sum, isFinal: index+1 == len(agreed)}, compare.err
}

// paidStages sums the accepted stages. The provider can end an order between two stages.
func (a *agreedOrder) paidStages(order *Order) (*big.Int, error) {
	agreed, err := a.stages()
	if err != nil {
		return nil, err
	}
	accepted := 0
	for _, stage := range order.Stages {
		if stage.State == StageStateAccepted {
			accepted++
		}
	}
	sum := new(big.Int)
	for _, stage := range agreed[:min(accepted, len(agreed))] {
		amount, err := stage.AmountBaseUnits.Int()
		if err != nil {
			return nil, err
		}
		sum.Add(sum, amount)
	}
	return sum, nil
}

// compareStages compares the stages of the agreement with those of the service or the quote; nil for one delivery. The caller knows
// the decimals of the order's token.
func (a *agreedOrder) compareStages(quoted []QuotedStage, decimals int) error {
	compare := comparison{orderID: a.id}
	if len(quoted) == 0 {
		compare.same("agreement.stages", nil, a.document["stages"])
		return compare.err
	}
	found, err := a.stages()
	if err != nil {
		return err
	}
	if compare.same("agreement.stages", len(quoted), len(found)); compare.err != nil {
		return compare.err
	}
	for i, stage := range quoted {
		amount, err := stage.Amount.BaseUnits(decimals)
		if err != nil {
			return err
		}
		schema, err := digestOf(stage.OutputSchema)
		if err != nil {
			return err
		}
		field := fmt.Sprintf("agreement.stages[%d].", i)
		compare.same(field+"title", stage.Title, found[i].Title)
		compare.same(field+"amount_base_units", amount.String(), found[i].AmountBaseUnits)
		compare.same(field+"hours", stage.Hours, found[i].Hours)
		compare.same(field+"output_schema_digest", schema, found[i].OutputSchemaDigest)
	}
	return compare.err
}

// recordData builds the record of a delivery. A metered order has a final part of the charge. A stage has a part of the sum of
// the stages so far. Only the delivery's number and its stage are taken from the service.
func (a *agreedOrder) recordData(order *Order, work settlement.Hash, number uint32, deadline *big.Int) (settlement.TypedData, error) {
	if a.hasStages() {
		stage, err := a.waitingStage(order)
		if err == nil && stage == nil {
			err = &NotAsAgreedError{OrderID: a.id, Field: "order.stages", Expected: "a delivered stage", Found: "none"}
		}
		if err != nil {
			return settlement.TypedData{}, err
		}
		return a.RecordPart(stage.sum, work, stage.isFinal, number, deadline), nil
	}
	charge, err := a.charge(order)
	if err != nil {
		return settlement.TypedData{}, err
	}
	if charge != nil {
		return a.RecordPart(charge.amount, work, true, number, deadline), nil
	}
	return a.RecordDelivery(work, number, deadline), nil
}
