//go:build service

package wallet_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/wallet"
)

// TestMain runs the named program instead of the tests, in a process that a test can kill.
func TestMain(m *testing.M) {
	programs := map[string]func(*earnest.Client, *wallet.Key) error{"buyer": buyOnce, "provider": serveUntilTold}
	program, isNamed := programs[os.Getenv("PROGRAM")]
	if !isNamed {
		os.Exit(m.Run())
	}
	key, err := wallet.FromHex(os.Getenv("WALLET_KEY"))
	if err == nil {
		var client *earnest.Client
		if client, err = earnest.NewClient(os.Getenv("BASE_URL"), earnest.WithAPIKey(os.Getenv("TOKEN"))); err == nil {
			err = program(client, key)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// buyOnce makes the same purchase in each run.
func buyOnce(client *earnest.Client, key *wallet.Key) error {
	chain := receipts.RPC{URL: os.Getenv("RPC_URL")}
	order, err := client.Buy(context.Background(), os.Getenv("SERVICE"), earnest.BuyOptions{
		Wallet: key, Sender: wallet.Sender{Key: key, Node: chain}, Node: chain, MaxAmount: "3.00", Input: question{[]int64{2, 1}},
		Rail: earnest.SettlementRail(os.Getenv("RAIL")), Poll: 100 * time.Millisecond,
	})
	if err == nil {
		fmt.Println(order.ID, order.Status)
	}
	return err
}

// serveUntilTold prints a line for each call of its handler.
func serveUntilTold(client *earnest.Client, key *wallet.Key) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	work := earnest.Handle(func(_ context.Context, job earnest.Job[question]) (answer, error) {
		fmt.Println("called")
		return answer{job.Input.Of[0] + job.Input.Of[1]}, nil
	})
	handlers := map[string]earnest.Handler{"sum": work}
	err := client.Serve(ctx, os.Getenv("AGENT"), handlers, earnest.ServeOptions{
		Wallet: key, Node: receipts.RPC{URL: os.Getenv("RPC_URL")}, Sweep: time.Second,
	})
	fmt.Println("stopped")
	return err
}

// running is a program in its own process.
type running struct {
	*exec.Cmd
	printed, errors bytes.Buffer
}

func run(t *testing.T, program string, who party, more ...string) *running {
	t.Helper()
	r := &running{Cmd: exec.Command(os.Args[0])}
	r.Env = append(os.Environ(), append(more, "PROGRAM="+program, "TOKEN="+who.token, "RPC_URL="+node(t).URL)...)
	r.Stdout, r.Stderr = &r.printed, &r.errors
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Process.Kill() })
	return r
}

// end waits until the program succeeds, and returns its output.
func (r *running) end(t *testing.T) string {
	t.Helper()
	if err := r.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &r.errors)
	}
	return r.printed.String()
}

// killOnce kills the program without a warning once the proxy holds its request.
func (r *running) killOnce(t *testing.T, held <-chan struct{}) {
	t.Helper()
	select {
	case <-held:
	case <-time.After(2 * time.Minute):
		t.Error("no such request came")
	}
	r.kill(t)
}

func (r *running) kill(t *testing.T) {
	t.Helper()
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()
}

// keyed is a party with a private key that another process can use.
func keyed(t *testing.T, scopes ...earnest.Scope) (one party, secret string) {
	t.Helper()
	var bits [32]byte
	rand.Read(bits[:])
	secret = hex.EncodeToString(bits[:])
	key, err := wallet.FromHex(secret)
	if err != nil {
		t.Fatal(err)
	}
	return joinWith(t, key, scopes...), "WALLET_KEY=" + secret
}

func TestABuyerThatIsKilledAndStartedAgainHasPlacedAndPaidOnce(t *testing.T) {
	service := sell(t, join(t, providerScopes...))
	for _, one := range []struct {
		when, shape string
		rail        earnest.SettlementRail
	}{
		{"before it has the order", "^after POST /api/v1/orders$", "x402"},
		{"between placing and paying", "^before GET .*/payment-instructions$", "x402"},
		{"before its signature is handed in", "^before POST .*/payment$", "x402"},
		{"while its payment is answered", "^after POST .*/payment$", "x402"},
		{"between placing and paying", "^before GET .*/payment-instructions$", "escrow"},
		{"between paying and knowing that it is funded", "", "escrow"},
	} {
		t.Run(string(one.rail)+" "+one.when, func(t *testing.T) {
			between := newProxy(t)
			buyer, secret := keyed(t, buyerScopes...)
			fund(t, buyer)
			ask(t, "anvil_setBalance", buyer.key.Address(), "0xde0b6b3a7640000")
			env := []string{secret, "BASE_URL=" + between.URL, "SERVICE=" + service.ID, "RAIL=" + string(one.rail)}
			if one.shape != "" {
				held := between.holdNext(one.shape)
				run(t, "buyer", buyer, env...).killOnce(t, held)
			} else {
				first := run(t, "buyer", buyer, env...)
				for balance(t, buyer) == 100_000_000 {
					time.Sleep(20 * time.Millisecond)
				}
				first.kill(t)
			}
			id, status, _ := strings.Cut(strings.TrimSpace(run(t, "buyer", buyer, env...).end(t)), " ")
			if status != string(earnest.OrderStatusFunded) {
				t.Errorf("%s is %s", id, status)
			}
			orders, err := buyer.Orders.List(t.Context(), earnest.OrdersListQuery{}).Page()
			if err != nil || len(orders.Items) != 1 || orders.Items[0].ID != id {
				t.Errorf("%d orders, %v", len(orders.Items), err)
			}
			if left := balance(t, buyer); left != 97_500_000 {
				t.Errorf("%d are left", left)
			}
		})
	}
}

func TestAProviderThatIsKilledAndStartedAgainHasDeliveredOnce(t *testing.T) {
	provider, secret := keyed(t, providerScopes...)
	buyer := join(t, buyerScopes...)
	fund(t, buyer)
	for _, one := range []struct{ when, shape, printed string }{
		{"between start and delivery", "^before POST .*/deliver$", "called\nstopped\n"},
		{"while its start is answered", "^after POST .*/start$", "called\nstopped\n"},
		{"while its delivery is answered", "^after POST .*/deliver$", "stopped\n"},
		{"before its record is handed in", "^before POST .*/delivery-record$", "stopped\n"},
	} {
		t.Run(one.when, func(t *testing.T) {
			between := newProxy(t)
			service := sell(t, provider)
			order, err := buyer.Buy(t.Context(), service.ID, earnest.BuyOptions{
				Wallet: buyer.key, Node: node(t), MaxAmount: "3", Input: question{[]int64{2, 1}}, Poll: 100 * time.Millisecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			env := []string{secret, "BASE_URL=" + between.URL, "AGENT=" + service.Agent.Slug}
			held := between.holdNext(one.shape)
			run(t, "provider", provider, env...).killOnce(t, held)
			second := run(t, "provider", provider, env...)
			for order.DeliveryRecord != earnest.DeliveryRecordMatched && t.Context().Err() == nil {
				time.Sleep(100 * time.Millisecond)
				if order, err = buyer.Orders.Get(t.Context(), order.ID); err != nil {
					t.Fatal(err)
				}
			}
			if order.OutputPayload.String() != `{"sum":3}` {
				t.Errorf("it delivered %s", order.OutputPayload)
			}
			if err := second.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if printed := second.end(t); printed != one.printed {
				t.Errorf("it printed %q", printed)
			}
			steps := map[string]int{}
			for entry, err := range buyer.Orders.ListTrail(t.Context(), order.ID, earnest.OrdersListTrailQuery{}).All() {
				if err != nil {
					t.Fatal(err)
				}
				steps[string(entry.Type)]++
			}
			if steps["order.started"] != 1 || steps["order.delivered"] != 1 {
				t.Errorf("the trail has %v", steps)
			}
		})
	}
}
