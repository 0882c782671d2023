package receipts

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/earnest-market/earnest-go/settlement"
)

// RPC reads a node by JSON-RPC.
type RPC struct {
	URL string
	// Default: http.DefaultClient.
	HTTPClient *http.Client
}

// NodeError is a node's refusal, for example of a call that reverts.
type NodeError struct {
	Method  string
	Code    int
	Message string
}

// IsRevert reports whether a contract refused, or no contract is there. Any other refusal is the node's own.
func (e *NodeError) IsRevert() bool {
	return e.Code == codeOfRevert || strings.Contains(e.Message, "revert")
}

// codeOfRevert is the code of nodes for a call that reverts.
const codeOfRevert = 3

func (e *NodeError) Error() string { return e.Method + ": " + e.Message }

const mostRPCBytes = 16 << 20

// Ask sends any request to the node, and reads the result into a pointer. The error is a *NodeError if the node refuses.
func (r RPC) Ask(ctx context.Context, into any, method string, parameters ...any) error {
	if parameters == nil {
		parameters = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	client := r.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, mostRPCBytes)).Decode(&answer); err != nil {
		return fmt.Errorf("%s: the node answers %d: %w", method, response.StatusCode, err)
	}
	if answer.Error != nil {
		return &NodeError{Method: method, Code: answer.Error.Code, Message: answer.Error.Message}
	}
	if answer.Result == nil {
		return fmt.Errorf("%s: the node gave no result", method)
	}
	return json.Unmarshal(answer.Result, into)
}

func (r RPC) number(ctx context.Context, method string) (uint64, error) {
	var text string
	if err := r.Ask(ctx, &text, method); err != nil {
		return 0, err
	}
	return readQuantity(text)
}

func readQuantity(text string) (uint64, error) {
	return strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
}

// ChainID returns the id of the node's chain.
func (r RPC) ChainID(ctx context.Context) (uint64, error) { return r.number(ctx, "eth_chainId") }

// BlockNumber returns the number of the newest block.
func (r RPC) BlockNumber(ctx context.Context) (uint64, error) {
	return r.number(ctx, "eth_blockNumber")
}

// TransactionReceipt returns nil if the chain does not have the transaction.
func (r RPC) TransactionReceipt(ctx context.Context, hash string) (*TransactionReceipt, error) {
	var found *struct {
		Status      string `json:"status"`
		BlockNumber string `json:"blockNumber"`
		BlockHash   string `json:"blockHash"`
		Logs        []struct {
			Address  string   `json:"address"`
			LogIndex string   `json:"logIndex"`
			Topics   []string `json:"topics"`
			Data     string   `json:"data"`
		} `json:"logs"`
	}
	if err := r.Ask(ctx, &found, "eth_getTransactionReceipt", hash); err != nil || found == nil {
		return nil, err
	}
	number, err := readQuantity(found.BlockNumber)
	if err != nil {
		return nil, err
	}
	receipt := &TransactionReceipt{Succeeded: found.Status == "0x1", BlockNumber: number, BlockHash: found.BlockHash}
	for _, log := range found.Logs {
		index, err := readQuantity(log.LogIndex)
		if err != nil {
			return nil, err
		}
		receipt.Logs = append(receipt.Logs, Log{Address: log.Address, Index: index, Topics: log.Topics, Data: log.Data})
	}
	return receipt, nil
}

// BlockTime returns the time of a block.
func (r RPC) BlockTime(ctx context.Context, blockHash string) (time.Time, error) {
	return r.timeOf(ctx, "eth_getBlockByHash", blockHash)
}

func (r RPC) timeOf(ctx context.Context, method, block string) (time.Time, error) {
	var found *struct {
		Timestamp string `json:"timestamp"`
	}
	if err := r.Ask(ctx, &found, method, block, false); err != nil {
		return time.Time{}, err
	}
	if found == nil {
		return time.Time{}, fmt.Errorf("the chain has no block %s", block)
	}
	seconds, err := readQuantity(found.Timestamp)
	return time.Unix(int64(seconds), 0), err
}

// Code returns the code of a contract, which is empty if there is none.
func (r RPC) Code(ctx context.Context, contract settlement.Address) ([]byte, error) {
	return r.bytes(ctx, "eth_getCode", contract, "latest")
}

// Call returns the result of a contract's view function at the newest block.
func (r RPC) Call(ctx context.Context, contract settlement.Address, data []byte) ([]byte, error) {
	asked := map[string]any{"to": contract, "data": "0x" + hex.EncodeToString(data)}
	for try := 1; ; try++ {
		answer, err := r.bytes(ctx, "eth_call", asked, "latest")
		var refusal *NodeError
		// A node may refuse the newest block while it adds another block.
		if !errors.As(err, &refusal) || refusal.IsRevert() || try == mostCalls {
			return answer, err
		}
		select {
		case <-time.After(pauseBetweenCalls):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

const (
	mostCalls         = 4
	pauseBetweenCalls = 150 * time.Millisecond
)

func (r RPC) bytes(ctx context.Context, method string, parameters ...any) ([]byte, error) {
	var text string
	if err := r.Ask(ctx, &text, method, parameters...); err != nil {
		return nil, err
	}
	return hex.DecodeString(strings.TrimPrefix(text, "0x"))
}

// Now returns the time of the newest block.
func (r RPC) Now(ctx context.Context) (time.Time, error) {
	return r.timeOf(ctx, "eth_getBlockByNumber", "latest")
}
