package receipts

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/earnest-market/earnest-go/settlement"
)

// Chain is read to find a document's event. RPC is one, over JSON-RPC.
type Chain interface {
	ChainID(ctx context.Context) (uint64, error)
	BlockNumber(ctx context.Context) (uint64, error)
	// TransactionReceipt returns nil, without an error, if the chain does not have the transaction.
	TransactionReceipt(ctx context.Context, hash string) (*TransactionReceipt, error)
	BlockTime(ctx context.Context, blockHash string) (time.Time, error)
}

// TransactionReceipt is the result of a transaction.
type TransactionReceipt struct {
	Succeeded   bool
	BlockNumber uint64
	BlockHash   string
	Logs        []Log
}

// Log is one of a transaction's events; topics and data are 0x and hexadecimal digits.
type Log struct {
	Address string
	Index   uint64
	Topics  []string
	Data    string
}

// Witness is a chain that may confirm a document of a compromised key.
type Witness struct {
	Chain Chain
	// The escrow contract that you know.
	Contract string
	// Default: 1.
	Confirmations uint64
}

// ChainOptions say what to compare with the chain.
type ChainOptions struct {
	// The required depth. The default is 1: the transaction is mined.
	Confirmations uint64
	// The escrow contract you expect, if you know it: anyone can deploy one that emits the same events.
	Contract string
}

// ChainAnswer is the chain's answer about a document's claim. It says nothing about the document's signature.
type ChainAnswer struct {
	// Checked is false if the chain could not be read. Err has the reason.
	Checked bool
	Agrees  bool
	// Confirmations is the depth of the block; 0 if it is unknown.
	Confirmations uint64
	// Err is the reason for a difference or for a failed read: an *Error.
	Err error
}

// ConfirmOnChain checks that the event of a verified document is on the chain: chain, transaction, block, log, contract,
// event, escrow, agreement, parties, token, amount and depth. The escrow's id, the hash of the terms, binds the other terms,
// which a document of version 2 has. The result is only as trustworthy as the node.
func ConfirmOnChain(ctx context.Context, verified *VerifiedDocument, chain Chain, options ChainOptions) ChainAnswer {
	document := verified.Document
	fail := func(err error) ChainAnswer { return ChainAnswer{Err: err} }
	if options.Contract != "" {
		if _, err := settlement.ParseAddress(strings.ToLower(options.Contract)); err != nil {
			return fail(refuse(InvalidShape, "the contract you expect is no address"))
		}
	}
	id, err := chain.ChainID(ctx)
	if err != nil {
		return fail(refuse(ChainUnreachable, "%v", err))
	}
	if named := "eip155:" + strconv.FormatUint(id, 10); named != document.Chain {
		return fail(refuse(WrongChain, "it is %s, not %s", named, document.Chain))
	}
	receipt, err := chain.TransactionReceipt(ctx, document.Transaction)
	if err != nil {
		return fail(refuse(ChainUnreachable, "%v", err))
	}
	if receipt == nil {
		return ChainAnswer{Checked: true, Err: refuse(TransactionNotFound, "it is %s", document.Transaction)}
	}
	head, err := chain.BlockNumber(ctx)
	if err != nil {
		return fail(refuse(ChainUnreachable, "%v", err))
	}
	depth := uint64(0)
	if head >= receipt.BlockNumber {
		depth = head - receipt.BlockNumber + 1
	}
	if err := compare(document, receipt, depth, options); err != nil {
		return ChainAnswer{Checked: true, Confirmations: depth, Err: err}
	}
	return ChainAnswer{Checked: true, Agrees: true, Confirmations: depth}
}

func compare(document SettlementDocument, receipt *TransactionReceipt, depth uint64, options ChainOptions) error {
	if !receipt.Succeeded {
		return refuse(TransactionReverted, "the transaction had no effect")
	}
	if err := same(BlockMismatch, receipt.BlockHash, document.BlockHash); err != nil {
		return err
	}
	if err := same(BlockMismatch, strconv.FormatUint(receipt.BlockNumber, 10), strconv.FormatInt(document.BlockNumber, 10)); err != nil {
		return err
	}
	var found *Log
	for at := range receipt.Logs {
		if receipt.Logs[at].Index == uint64(document.LogIndex) {
			found = &receipt.Logs[at]
		}
	}
	if found == nil {
		return refuse(LogNotFound, "it is log %d of the block", document.LogIndex)
	}
	if err := same(ContractMismatch, found.Address, document.Contract); err != nil {
		return err
	}
	if options.Contract != "" && !strings.EqualFold(options.Contract, document.Contract) {
		return refuse(ContractMismatch, "the receipt names %s, you expect %s", document.Contract, options.Contract)
	}
	if err := compareEvent(document, *found); err != nil {
		return err
	}
	if document.Terms != nil {
		id, err := escrowIDOf(document)
		if err != nil {
			return err
		}
		if err := same(TermsMismatch, id, document.EscrowID); err != nil {
			return err
		}
	}
	if required := max(1, options.Confirmations); depth < required {
		return refuse(TooFewConfirmations, "it has %d of %d", depth, required)
	}
	return nil
}
