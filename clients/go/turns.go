package earnest

import (
	"context"
	"sync"
)

var turns sync.Map

// inTurn runs the calls with the same `of` one after another, so that no purchase of this process spends another's approved amount.
func inTurn(ctx context.Context, of string, work func() error) error {
	made, _ := turns.LoadOrStore(of, make(chan struct{}, 1))
	turn := made.(chan struct{})
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-turn }()
	return work()
}
