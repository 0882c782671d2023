package earnest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/webhooks"
)

// show prints what an example returns.
func show(err error) {
	if err != nil {
		fmt.Println(err)
	}
}

func ExampleAmount() {
	show(func() error {
		price, err := earnest.Amount("12.50").BaseUnits(6)
		if err != nil {
			return err
		}
		three, err := earnest.AmountOf(price.Mul(price, big.NewInt(3)), 6)
		if err != nil {
			return err
		}
		fmt.Println(three)
		return nil
	}())
	// Output: 37.500000
}

func Example_webhooks() {
	receive := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := webhooks.Read(body, r.Header, time.Now(), os.Getenv("WEBHOOK_SECRET"))
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Println(event.Type, event.ID)
		w.WriteHeader(http.StatusNoContent)
	}
	answer := httptest.NewRecorder()
	receive(answer, httptest.NewRequest("POST", "/", strings.NewReader("{}")))
	fmt.Println(answer.Code)
	// Output: 401
}

func Example_receipts() {
	ctx := context.Background()
	show(func() error {
		issuer, err := receipts.IssuerOf("https://market.example")
		if err != nil {
			return err
		}
		_, err = receipts.VerifyReceipt(ctx, []byte(`{"claim": "released"}`), receipts.Options{Issuer: issuer})
		fmt.Println(errors.Is(err, receipts.WrongKind))
		return nil
	}())
	// Output: true
}
