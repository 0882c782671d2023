//go:build service

package wallet_test

import (
	"context"
	"errors"

	earnest "github.com/earnest-market/earnest-go"
)

// trade buys each number, delivers and accepts, all at once. Each part is done again where an outage outlasts the tries, as by
// a program that is started again.
func (s *scene) trade(ctx context.Context, numbers []int64) error {
	ends := make(chan error)
	for _, number := range numbers {
		go func() {
			var order *earnest.Order
			err := insist(func() (err error) { order, err = s.buy(ctx, number, ""); return })
			if err == nil {
				err = insist(func() error { return s.deliver(ctx, order.ID) })
			}
			if err == nil {
				err = insist(func() error { return s.accept(ctx, order.ID) })
			}
			ends <- err
		}()
	}
	var failures []error
	for range numbers {
		failures = append(failures, <-ends)
	}
	return errors.Join(failures...)
}

// insist repeats an act while an outage makes it fail.
func insist(act func() error) error {
	for left := 20; ; left-- {
		err := act()
		var connection *earnest.ConnectionError
		var refusal *earnest.Error
		isOutage := errors.As(err, &connection) || (errors.As(err, &refusal) && (refusal.Status == 429 || refusal.Status >= 500))
		if !isOutage || left == 0 {
			return err
		}
	}
}
