package earnest

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/earnest-market/earnest-go/settlement"
)

// mostAllowances is the most approvals of a purchase. Another process of the wallet may spend an approved amount.
const mostAllowances = 3

// payByCalls sends the two calls of the rail escrow, which this client builds. The contract creates an escrow once.
func (p *payment) payByCalls(ctx context.Context, shown *PaymentInstructions, compare *instructions) error {
	approve, create := p.agreed.ApproveCall(), p.agreed.CreateEscrowCall()
	if compare.calls(shown, approve, create); compare.err != nil {
		return compare.err
	}
	node, sender := p.options.Node, p.options.Sender
	if node == nil || sender == nil {
		return errors.New("earnest: the rail escrow needs a Sender and a Node")
	}
	owner, err := parseAddress(p.options.Wallet.Address())
	if err != nil {
		return err
	}
	send := func(call settlement.Call) error {
		return p.agreed.sendCall(ctx, sender, node, p.options.Poll, call)
	}
	hasAllowed := func() (bool, error) {
		allowed, err := ask(ctx, node, p.agreed.Terms.Token, p.agreed.AllowanceCall(owner))
		return err == nil && allowed.Cmp(p.agreed.Terms.Amount) >= 0, nodeError(err)
	}
	allowance := fmt.Sprint(p.agreed.ChainID, p.agreed.Contract, p.agreed.Terms.Token, owner)
	return inTurn(ctx, allowance, func() error {
		// An earlier turn may have paid the same order.
		if has, err := p.agreed.hasEscrow(ctx, node); has || err != nil {
			return err
		}
		for left := mostAllowances - 1; ; left-- {
			isAllowed, err := hasAllowed()
			if err == nil && !isAllowed {
				err = send(approve)
			}
			if err == nil {
				err = send(create)
			}
			if err == nil {
				return nil
			}
			// A call from before a crash may be mined by now. The contract accepts only one of them.
			if has, problem := p.agreed.hasEscrow(ctx, node); has && problem == nil {
				return nil
			}
			// Another process of this wallet may have spent the approved amount.
			if isAllowed, problem := hasAllowed(); left == 0 || isAllowed || problem != nil {
				return err
			}
		}
	})
}

// sendCall sends a call of the order, and waits until it is mined.
func (a *agreedOrder) sendCall(ctx context.Context, sender Sender, node Node, poll time.Duration, call settlement.Call) error {
	hash, err := sender.SendCall(ctx, a.ChainID, call)
	if err != nil {
		return fmt.Errorf("earnest: %s of %s was not sent: %w", call.Function, a.id, err)
	}
	for {
		receipt, err := node.TransactionReceipt(ctx, hash)
		if err == nil && receipt != nil {
			if !receipt.Succeeded {
				return fmt.Errorf("earnest: the chain refused the transaction of %s: %s", call.Function, hash)
			}
			return nil
		}
		pauseUntil(ctx, pollOf(poll))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// hasEscrow reports whether the order's escrow is on the chain.
func (a *agreedOrder) hasEscrow(ctx context.Context, node Node) (bool, error) {
	status, err := a.escrowStatus(ctx, node)
	return err == nil && status != 0, err
}

// firstEnd is the first status of the contract without money in the escrow: released, refunded, split.
const firstEnd = 4

// escrowStatus returns the number of the escrow's status in the contract; 0 for none.
func (a *agreedOrder) escrowStatus(ctx context.Context, node Node) (uint64, error) {
	status, err := ask(ctx, node, a.Contract, a.GetEscrowCall())
	if err != nil {
		return 0, nodeError(err)
	}
	return status.Uint64(), nil
}

// escrowState is an escrow on the chain. An escrow that was never created has the status 0.
type escrowState struct {
	status   uint64
	fundedAt time.Time
	// paid is the base units that parts have paid.
	paid *big.Int
}

func (s *escrowState) isOver() bool { return s.status >= firstEnd }

func (a *agreedOrder) escrowState(ctx context.Context, node Node) (*escrowState, error) {
	data, err := node.Call(ctx, a.Contract, a.GetEscrowCall())
	if err != nil {
		return nil, nodeError(err)
	}
	const words, size = 7, 32
	if len(data) < words*size {
		return nil, fmt.Errorf("earnest: %s does not answer like an escrow contract", a.Contract)
	}
	word := func(at int) *big.Int { return new(big.Int).SetBytes(data[at*size : (at+1)*size]) }
	return &escrowState{status: word(0).Uint64(), fundedAt: time.Unix(word(2).Int64(), 0), paid: word(5)}, nil
}

func nodeError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("earnest: the node: %w", err)
}

// nowOf returns the later of both clocks, because a local chain's clock may be ahead.
func nowOf(ctx context.Context, node Node) (time.Time, error) {
	here := time.Now()
	if node == nil {
		return here, nil
	}
	there, err := node.Now(ctx)
	if err == nil && there.After(here) {
		return there, nil
	}
	return here, nodeError(err)
}
