package wallet

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/internal/keccak"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
)

// Sender sends calls from a Key's account through a node: an earnest.Sender, for the rail escrow. The account pays the gas.
type Sender struct {
	Key  *Key
	Node receipts.RPC
}

var _ earnest.Sender = Sender{}

// SendCall signs a transaction of the call (EIP-1559), hands it to the node, and returns its hash. It refuses a node of
// another chain. Its fee allows for the base fee to double.
func (s Sender) SendCall(ctx context.Context, chainID uint64, call settlement.Call) (string, error) {
	if id, err := s.Node.ChainID(ctx); err != nil || id != chainID {
		return "", fmt.Errorf("wallet: the node's chain is %d, not %d (%v)", id, chainID, err)
	}
	data := "0x" + hex.EncodeToString(call.Data)
	asked := map[string]string{"from": s.Key.Address(), "to": call.To.String(), "data": data}
	var block struct {
		BaseFee string `json:"baseFeePerGas"`
	}
	if err := s.Node.Ask(ctx, &block, "eth_getBlockByNumber", "latest", false); err != nil {
		return "", err
	}
	baseFee, err := readQuantity(block.BaseFee)
	if err != nil {
		return "", fmt.Errorf("wallet: the chain has no base fee: %w", err)
	}
	nonce, err := s.quantity(ctx, "eth_getTransactionCount", s.Key.Address(), "pending")
	if err != nil {
		return "", err
	}
	tip, err := s.quantity(ctx, "eth_maxPriorityFeePerGas")
	if err != nil {
		return "", err
	}
	gas, err := s.quantity(ctx, "eth_estimateGas", asked)
	if err != nil {
		// A node may refuse because of a pending transaction, such as the same call of a run before a crash. Its outcome is
		// known only once it is mined.
		s.waitForEarlier(ctx)
		return "", err
	}
	most := new(big.Int).Add(new(big.Int).Lsh(baseFee, 1), tip)
	fields := [][]byte{
		encodeNumber(new(big.Int).SetUint64(chainID)), encodeNumber(nonce), encodeNumber(tip), encodeNumber(most), encodeNumber(gas),
		encodeBytes(call.To[:]), encodeNumber(new(big.Int)), encodeBytes(call.Data), encodeList(nil),
	}
	signature, err := s.Key.SignHash(ctx, keccak.Sum256([]byte{dynamicFee}, encodeList(fields)))
	if err != nil {
		return "", err
	}
	fields = append(fields,
		encodeNumber(big.NewInt(int64(signature[64])-27)), encodeNumber(new(big.Int).SetBytes(signature[:32])),
		encodeNumber(new(big.Int).SetBytes(signature[32:64])),
	)
	signed := append([]byte{dynamicFee}, encodeList(fields)...)
	var hash string
	err = s.Node.Ask(ctx, &hash, "eth_sendRawTransaction", "0x"+hex.EncodeToString(signed))
	return hash, err
}

// longestQueue is the longest wait for earlier transactions, which are read every queuePoll.
const (
	longestQueue = time.Minute
	queuePoll    = 300 * time.Millisecond
)

// waitForEarlier waits until all transactions of the account are mined.
func (s Sender) waitForEarlier(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestQueue)
	defer cancel()
	for ctx.Err() == nil {
		mined, err := s.quantity(ctx, "eth_getTransactionCount", s.Key.Address(), "latest")
		if err != nil {
			return
		}
		waiting, err := s.quantity(ctx, "eth_getTransactionCount", s.Key.Address(), "pending")
		if err != nil || mined.Cmp(waiting) >= 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(queuePoll):
		}
	}
}

// dynamicFee is the type of an EIP-1559 transaction (EIP-2718).
const dynamicFee = 2

func (s Sender) quantity(ctx context.Context, method string, parameters ...any) (*big.Int, error) {
	var text string
	if err := s.Node.Ask(ctx, &text, method, parameters...); err != nil {
		return nil, err
	}
	return readQuantity(text)
}

func readQuantity(text string) (*big.Int, error) {
	digits, hasPrefix := strings.CutPrefix(text, "0x")
	number, isNumber := new(big.Int).SetString(digits, 16)
	if !hasPrefix || !isNumber || number.Sign() < 0 {
		return nil, fmt.Errorf("wallet: the node says %s, which is no number", strconv.Quote(text))
	}
	return number, nil
}

// encodeNumber writes a number in RLP: its bytes without leading zeros.
func encodeNumber(number *big.Int) []byte { return encodeBytes(number.Bytes()) }

func encodeBytes(bytes []byte) []byte {
	if len(bytes) == 1 && bytes[0] < 0x80 {
		return bytes
	}
	return append(encodeLength(0x80, len(bytes)), bytes...)
}

func encodeList(items [][]byte) []byte {
	var all []byte
	for _, item := range items {
		all = append(all, item...)
	}
	return append(encodeLength(0xc0, len(all)), all...)
}

func encodeLength(kind byte, length int) []byte {
	if length < 56 {
		return []byte{kind + byte(length)}
	}
	written := big.NewInt(int64(length)).Bytes()
	return append([]byte{kind + 55 + byte(len(written))}, written...)
}
