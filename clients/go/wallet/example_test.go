//go:build service

package wallet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/tlog"
	"github.com/earnest-market/earnest-go/wallet"
)

func signIn(ctx context.Context) error {
	key, err := wallet.FromHex(os.Getenv("WALLET_KEY"))
	if err != nil {
		return err
	}
	client, err := earnest.NewClient(os.Getenv("EARNEST_URL"))
	if err != nil {
		return err
	}
	if _, err := client.SignIn(ctx, earnest.SignInOptions{Wallet: key, ChainID: 31337}); err != nil {
		return err
	}
	made, err := client.APIKeys.Create(ctx, earnest.KeyRequest{
		Name: "my program", Scopes: []earnest.Scope{earnest.ScopeOrdersRead, earnest.ScopeOrdersWrite},
	})
	if err != nil {
		return err
	}
	fmt.Println(len(made.Token) > 0)
	return nil
}

func search(ctx context.Context) error {
	client, err := earnest.NewClient(os.Getenv("EARNEST_URL"), earnest.WithAPIKey(os.Getenv("EARNEST_KEY")))
	if err != nil {
		return err
	}
	query := earnest.MarketplaceSearchServicesQuery{MaxPrice: "100.00", Sort: earnest.ServiceSortPriceLow}
	found, err := client.Marketplace.SearchServices(ctx, query).Page()
	if err != nil {
		return err
	}
	fmt.Println(found.Body.Total >= int64(len(found.Items)))
	// A list fetches its next page when the loop needs it.
	for order, err := range client.Orders.List(ctx, earnest.OrdersListQuery{Status: "created"}).All() {
		if err != nil {
			return err
		}
		fmt.Println(order.Reference, order.TotalAmount, order.Currency)
	}
	return nil
}

func exchangeFile(ctx context.Context) error {
	client, err := earnest.NewClient(os.Getenv("EARNEST_URL"), earnest.WithAPIKey(os.Getenv("EARNEST_KEY")))
	if err != nil {
		return err
	}
	file, err := client.Files.Upload(ctx, strings.NewReader("Guten Tag"), earnest.Upload{Name: "letter.txt"})
	if err != nil {
		return err
	}
	var into bytes.Buffer
	if err := client.Files.Download(ctx, *file.Reference, &into, nil); err != nil {
		return err
	}
	fmt.Println(file.Name, into.String())
	if into.String() != "Guten Tag" {
		return fmt.Errorf("it has %q", into.String())
	}
	return nil
}

func miss(ctx context.Context) error {
	client, err := earnest.NewClient(os.Getenv("EARNEST_URL"), earnest.WithAPIKey(os.Getenv("EARNEST_KEY")))
	if err != nil {
		return err
	}
	_, err = client.Orders.Get(ctx, "ord_01jd3w8x2mfhz8w9q4t6n5k7ra")
	var refusal *earnest.Error
	var connection *earnest.ConnectionError
	switch {
	case errors.Is(err, earnest.ErrorCodeNotFound):
		fmt.Println("there is no such order")
	case errors.As(err, &refusal) && refusal.RetryAfter != nil:
		fmt.Println("ask again in", *refusal.RetryAfter)
	case errors.As(err, &refusal):
		fmt.Println(refusal.Code, refusal.RequestID, refusal.Details)
	case errors.As(err, &connection):
		fmt.Println("perhaps done; ask again with", connection.IdempotencyKey)
	}
	if !errors.Is(err, earnest.ErrorCodeNotFound) {
		return fmt.Errorf("another error: %w", err)
	}
	return nil
}

func buy(ctx context.Context, client *earnest.Client, key *wallet.Key, serviceID string) error {
	node, input := receipts.RPC{URL: os.Getenv("RPC_URL")}, map[string]any{"text": "Guten Tag"}
	order, err := client.Buy(ctx, serviceID, earnest.BuyOptions{Wallet: key, Node: node, MaxAmount: "5.00", Input: input})
	if err != nil {
		return err
	}
	fmt.Println(order.Status)
	if order.Status == earnest.OrderStatusCreated {
		return fmt.Errorf("it is %s", order.Status)
	}
	return nil
}

func accept(ctx context.Context, client *earnest.Client, key *wallet.Key, node receipts.RPC, orderID string) error {
	delivery, err := client.AwaitDelivery(ctx, orderID, earnest.SettleOptions{})
	if err != nil {
		return err
	}
	fmt.Println(delivery.Output)
	receipt, err := client.Accept(ctx, orderID, earnest.SettleOptions{Wallet: key, Chain: node})
	if err != nil {
		return err
	}
	fmt.Println(receipt.Document.Claim, receipt.Document.Amount)
	if receipt.Document.Claim != "released" {
		return fmt.Errorf("it claims %s", receipt.Document.Claim)
	}
	return nil
}

func lookUp(ctx context.Context, issuer string, document []byte) error {
	memory, err := tlog.NewFileMemory("")
	if err != nil {
		return err
	}
	found, err := tlog.LookUpReceipt(ctx, tlog.Receipt{Document: document}, tlog.LookupOptions{Issuer: issuer, Memory: memory})
	if err != nil {
		return err
	}
	fmt.Println(found.Index, found.Checkpoint.Size)
	return nil
}

func serve(ctx context.Context, client *earnest.Client, key *wallet.Key, node receipts.RPC, agent string) error {
	type text struct{ Text string }
	type count struct{ Words int }
	work := earnest.Handle(func(ctx context.Context, job earnest.Job[text]) (count, error) {
		return count{Words: len(strings.Fields(job.Input.Text))}, nil
	})
	err := client.Serve(ctx, agent, map[string]earnest.Handler{"sum": work}, earnest.ServeOptions{Wallet: key, Node: node})
	return err
}

func follow(ctx context.Context, client *earnest.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	stream := client.Events.Follow(ctx, earnest.FollowOptions{Types: []earnest.EventType{earnest.EventTypeOrderFunded}})
	for event, err := range stream.All() {
		if err != nil {
			return err
		}
		fmt.Println(event.Type, event.ID)
	}
	fmt.Println(stream.Cursor() != "")
	if stream.Cursor() == "" {
		return errors.New("the stream has no cursor")
	}
	return nil
}

func stream(ctx context.Context, client *earnest.Client) error {
	live := client.Events.Stream(ctx, earnest.FollowOptions{})
	for event, err := range live.All() {
		if err != nil {
			return err
		}
		fmt.Println(event.Type, event.ID)
		break
	}
	return nil
}

func TestTheReadme(t *testing.T) {
	ctx := t.Context()
	provider := join(t, providerScopes...)
	buyer := join(t, earnest.ScopeOrdersRead, earnest.ScopeOrdersWrite, earnest.ScopeWebhooksRead)
	service := sell(t, provider)
	if _, err := provider.Services.Update(ctx, service.Agent.Slug, service.Slug, earnest.ServiceChange{InputSchema: earnest.JSON("null")}); err != nil {
		t.Fatal(err)
	}
	fund(t, buyer)
	t.Setenv("WALLET_KEY", "0x7e577e577e577e577e577e577e577e577e577e577e577e577e577e577e577e57")
	t.Setenv("EARNEST_KEY", buyer.token)
	t.Setenv("RPC_URL", node(t).URL)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- serve(serving, provider.Client, provider.key, node(t), service.Agent.Slug) }()
	for _, one := range []struct {
		name string
		run  func() error
	}{
		{"a key", func() error { return signIn(ctx) }},
		{"calls", func() error { return search(ctx) }},
		{"files", func() error { return exchangeFile(ctx) }},
		{"errors", func() error { return miss(ctx) }},
		{"buying", func() error { return buy(ctx, buyer.Client, buyer.key, service.ID) }},
		{"accepting", func() error {
			orders, err := buyer.Orders.List(ctx, earnest.OrdersListQuery{}).Page()
			if err != nil {
				return err
			}
			return accept(ctx, buyer.Client, buyer.key, node(t), orders.Items[0].ID)
		}},
		{"the log", func() error { return findInLog(ctx, t, buyer) }},
		{"events", func() error { return follow(ctx, buyer.Client) }},
		{"events as they happen", func() error { return stream(ctx, buyer.Client) }},
	} {
		if err := one.run(); err != nil {
			t.Errorf("%s: %v", one.name, err)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Errorf("serving: %v", err)
	}
}

// findInLog finds the receipt of the buyer's settled order in the log, and again with the remembered checkpoint.
func findInLog(ctx context.Context, t *testing.T, buyer party) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	orders, err := buyer.Orders.List(ctx, earnest.OrdersListQuery{}).Page()
	if err != nil {
		return err
	}
	receipt, err := buyer.FinalReceipt(ctx, orders.Items[0].ID, earnest.SettleOptions{})
	if err != nil {
		return err
	}
	document, err := buyer.Receipts.GetFinal(ctx, orders.Items[0].ID)
	if err != nil {
		return err
	}
	for err = lookUp(ctx, receipt.Issuer, document); errors.Is(err, tlog.NotLogged) && ctx.Err() == nil; {
		time.Sleep(100 * time.Millisecond)
		err = lookUp(ctx, receipt.Issuer, document)
	}
	if err != nil {
		return err
	}
	changed := strings.Replace(string(document), `"amount":"`, `"amount":"1`, 1)
	if err := lookUp(ctx, receipt.Issuer, []byte(changed)); !errors.Is(err, tlog.OtherEntry) {
		return fmt.Errorf("a document with another amount: %w", err)
	}
	return lookUp(ctx, receipt.Issuer, document)
}
