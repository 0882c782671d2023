package earnest_test

import (
	"errors"
	"testing"

	earnest "github.com/earnest-market/earnest-go"
)

func TestAWriteIsSentAsOftenAsItsLimitSays(t *testing.T) {
	for limit, sent := range map[int]int{0: 1, 2: 3} {
		lost := fault{lost: true}
		server := newFlaky(t, `{"id":"ord_1"}`, fault{}, lost, lost, lost)
		client := server.client(t, earnest.WithMaxRetries(limit))
		asked := earnest.OrderRequest{ServiceID: "svc_1"}
		// The connection was used before, so net/http assumes that the server has closed it.
		if _, err := client.Orders.Place(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
		_, err := client.Orders.Place(t.Context(), asked)
		var failure *earnest.ConnectionError
		if !errors.As(err, &failure) || failure.Attempts != sent {
			t.Errorf("%d retries: %v", limit, err)
		}
		if arrived := len(server.requests()) - 1; arrived != sent {
			t.Errorf("%d retries: it was sent %d times", limit, arrived)
		}
	}
}
