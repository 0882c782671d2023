package earnest

import (
	"context"
	"sync"
)

var turns sync.Map

// inTurn does the work once nobody else does work of the same: what one purchase allows, no other of this process may spend.
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
