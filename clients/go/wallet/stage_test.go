//go:build service

package wallet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/wallet"
)

// scene is one run of a scenario: its steps, by the client's public methods.
type scene struct {
	URL     string
	BaseURL string `json:"base_url"`
	Host    string
	Issuer  string
	ChainID int64  `json:"chain_id"`
	RPCURL  string `json:"rpc_url"`
	Tokens  []stageToken
	HookURL string `json:"hook_url"`
	Seed    string

	timeout time.Duration
	keys    map[string]*wallet.Key
	parties map[string]party
	service *earnest.Service
	orderID string
	// claimed is the last order, if it was bought without an account.
	claimed *earnest.Claimed
	// chain is a node of the last order's chain.
	chain  receipts.RPC
	secret string
}

type ended struct {
	Wrong    []string
	Requests int
	Faults   map[string]int
}

// askStage sends a request to the stage, which has no faults. A nil body is a GET.
func askStage(ctx context.Context, url string, question, answer any) error {
	method, body := http.MethodGet, []byte(nil)
	if question != nil {
		method = http.MethodPost
		body, _ = json.Marshal(question)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %s, %w", url, response.StatusCode, text, err)
	}
	return json.Unmarshal(text, answer)
}

func openScene(ctx context.Context, stage string, one scenario) (*scene, error) {
	s := &scene{timeout: 30 * time.Second, keys: map[string]*wallet.Key{}, parties: map[string]party{}}
	if one.TimeoutMS > 0 {
		s.timeout = time.Duration(one.TimeoutMS) * time.Millisecond
	}
	for _, name := range []string{"buyer", "provider"} {
		key, err := wallet.New()
		if err != nil {
			return nil, err
		}
		s.keys[name] = key
	}
	if err := askStage(ctx, stage+"/scenes", map[string]string{"scenario": one.Name, "language": "go"}, s); err != nil {
		return nil, err
	}
	return s, askStage(ctx, s.URL+"/money", map[string]string{"address": s.keys["buyer"].Address()}, &struct{}{})
}

// close reads the faults of the final audit.
func (s *scene) close(ctx context.Context) (*ended, error) {
	books := map[string]any{}
	for name, party := range s.parties {
		books[name] = map[string]string{"address": party.key.Address(), "token": party.token}
	}
	answer := new(ended)
	return answer, askStage(ctx, s.URL+"/end", books, answer)
}

func (s *scene) act(ctx context.Context, step step) error {
	buyer, provider := s.parties["buyer"], s.parties["provider"]
	switch step.Do {
	case "sign_in":
		return s.signIn(ctx, step.As)
	case "publish":
		return s.publish(ctx)
	case "place":
		asked := earnest.OrderRequest{ServiceID: s.service.ID, InputPayload: map[string]any{"number": step.Number}}
		_, err := buyer.Orders.Place(ctx, asked)
		return err
	case "buy":
		buy := s.buy
		s.claimed = nil
		if step.WithoutAccount {
			buy = s.buyWithoutAccount
		}
		order, err := buy(ctx, int64(step.Number.(float64)), step.AtMost, step.PayWith...)
		if err == nil {
			s.orderID, s.chain = order.ID, s.settled(order)
		}
		return err
	case "deliver":
		return s.deliver(ctx, s.orderID)
	case "accept":
		return s.accept(ctx, s.orderID)
	case "request_changes":
		return requireStatus(earnest.OrderStatusStarted)(buyer.RequestChanges(ctx, s.orderID, step.Reason))
	case "dispute":
		if s.claimed != nil {
			return requireStatus(earnest.OrderStatusDisputed)(s.claimed.Dispute(ctx, step.Reason, s.settling("buyer")))
		}
		return requireStatus(earnest.OrderStatusDisputed)(buyer.Dispute(ctx, s.orderID, step.Reason, s.settling("buyer")))
	case "refund":
		receipt, err := provider.Refund(ctx, s.orderID, s.settling("provider"))
		if err == nil && (receipt.Document.OrderID != s.orderID || receipt.Document.Claim != "refunded") {
			err = fmt.Errorf("the receipt is %+v", receipt.Document)
		}
		return err
	case "trade":
		return s.trade(ctx, step.Numbers)
	case "list":
		return s.list(ctx, step)
	case "follow":
		return s.follow(ctx, step)
	case "listen":
		asked := earnest.WebhookRequest{URL: s.HookURL, Events: []earnest.WebhookEventChoice{earnest.WebhookEventChoice(step.Type)}}
		made, err := buyer.Webhooks.Create(ctx, asked)
		if err == nil {
			s.secret = made.Secret
		}
		return err
	case "verify_webhook":
		return s.verifyWebhook(ctx, step)
	}
	return fmt.Errorf("there is no step %s", step.Do)
}

var sceneScopes = append(slices.Clone(providerScopes), earnest.ScopeWebhooksWrite, earnest.ScopeSubscriptionsRead)

func (s *scene) signIn(ctx context.Context, name string) error {
	key := s.keys[name]
	person, err := earnest.NewClient(s.BaseURL, earnest.WithTimeout(s.timeout))
	if err != nil {
		return err
	}
	if _, err := person.SignIn(ctx, earnest.SignInOptions{Wallet: key, ChainID: s.ChainID, Host: s.Host}); err != nil {
		return err
	}
	made, err := person.APIKeys.Create(ctx, earnest.KeyRequest{Name: "scenario", Scopes: sceneScopes})
	if err != nil {
		return err
	}
	client, err := earnest.NewClient(s.BaseURL, earnest.WithTimeout(s.timeout), earnest.WithAPIKey(made.Token))
	s.parties[name] = party{client, key, made.Token}
	return err
}

func (s *scene) publish(ctx context.Context) error {
	provider := s.parties["provider"]
	slug := "agent-" + strings.ToLower(provider.key.Address()[2:14])
	_, created := provider.Agents.Create(ctx, earnest.AgentRequest{Slug: slug, Name: "A scenario's agent"})
	_, paid := provider.Agents.SetPayoutWallet(ctx, slug, earnest.PayoutAddress{Address: provider.key.Address()})
	_, published := provider.Agents.Publish(ctx, slug)
	terms := earnest.ServiceRequest{
		Slug: "double", Title: "Twice a number", PricingModel: earnest.PricingModelFixed, Price: "2.50", DeliveryTimeHours: 24,
		InputSchema: map[string]any{
			"type": "object", "properties": map[string]any{"number": map[string]any{"type": "integer"}},
			"required": []string{"number"}, "additionalProperties": false,
		},
	}
	s.offer(&terms)
	_, offered := provider.Services.Create(ctx, slug, terms)
	service, err := provider.Services.Publish(ctx, slug, "double")
	s.service = service
	return errors.Join(created, paid, published, offered, err)
}

func (s *scene) node() receipts.RPC { return receipts.RPC{URL: s.RPCURL} }

func (s *scene) settling(name string) earnest.SettleOptions {
	chain := s.chain
	if chain.URL == "" {
		chain = s.node()
	}
	return earnest.SettleOptions{Wallet: s.keys[name], Issuer: s.Issuer, Chain: chain, Poll: 200 * time.Millisecond}
}

func (s *scene) buy(ctx context.Context, number int64, atMost earnest.Amount, payWith ...string) (*earnest.Order, error) {
	return s.parties["buyer"].Buy(ctx, s.service.ID, s.wanting(number, atMost, payWith))
}

// buyWithoutAccount buys by the wallet alone.
func (s *scene) buyWithoutAccount(ctx context.Context, number int64, atMost earnest.Amount, payWith ...string) (*earnest.Order, error) {
	nobody, err := earnest.NewClient(s.BaseURL, earnest.WithTimeout(s.timeout))
	if err != nil {
		return nil, err
	}
	options := s.wanting(number, atMost, payWith)
	options.Host = s.Host
	if s.claimed, err = nobody.BuyWithoutAccount(ctx, s.service, options); err != nil {
		return nil, err
	}
	return s.claimed.Order, nil
}

func (s *scene) wanting(number int64, atMost earnest.Amount, payWith []string) earnest.BuyOptions {
	if atMost == "" {
		atMost = "2.50"
	}
	options := earnest.BuyOptions{Wallet: s.keys["buyer"], Input: map[string]any{"number": number}, Poll: 200 * time.Millisecond}
	if len(payWith) == 0 {
		options.MaxAmount, options.Node = atMost, s.node()
	} else {
		options.Service = s.service
		s.hold(&options, atMost, payWith)
	}
	return options
}

type twice struct {
	Twice int64 `json:"twice"`
}

func (s *scene) outputOf(ctx context.Context, orderID string) (twice, *earnest.Order, error) {
	order, err := s.parties["provider"].Orders.Get(ctx, orderID)
	if err != nil {
		return twice{}, nil, err
	}
	var input struct{ Number int64 }
	err = order.InputPayload.Decode(&input)
	return twice{2 * input.Number}, order, err
}

func (s *scene) deliver(ctx context.Context, orderID string) error {
	output, order, err := s.outputOf(ctx, orderID)
	if err != nil {
		return err
	}
	if _, err := s.parties["provider"].Deliver(ctx, orderID, output, s.keys["provider"]); err != nil {
		return err
	}
	for order.DeliveryRecord != earnest.DeliveryRecordMatched {
		time.Sleep(200 * time.Millisecond)
		if order, err = s.parties["provider"].Orders.Get(ctx, orderID); err != nil {
			return err
		}
	}
	return nil
}

func (s *scene) accept(ctx context.Context, orderID string) error {
	expected, order, err := s.outputOf(ctx, orderID)
	if err != nil {
		return err
	}
	var output twice
	if err := order.OutputPayload.Decode(&output); err != nil || output != expected {
		return fmt.Errorf("the output is %s: %w", order.OutputPayload, err)
	}
	release := func() (*receipts.VerifiedDocument, error) {
		return s.parties["buyer"].Accept(ctx, orderID, s.settling("buyer"))
	}
	if s.claimed != nil {
		if _, err := s.claimed.AwaitDelivery(ctx, s.settling("buyer")); err != nil {
			return err
		}
		release = func() (*receipts.VerifiedDocument, error) { return s.claimed.Accept(ctx, s.settling("buyer")) }
	}
	receipt, err := release()
	if err == nil && (receipt.Document.OrderID != orderID || receipt.Document.Claim != "released") {
		err = fmt.Errorf("the receipt is %+v", receipt.Document)
	}
	return err
}

func requireStatus(expected earnest.OrderStatus) func(*earnest.Order, error) error {
	return func(order *earnest.Order, err error) error {
		if err == nil && order.Status != expected {
			err = fmt.Errorf("%s is %s", order.ID, order.Status)
		}
		return err
	}
}
