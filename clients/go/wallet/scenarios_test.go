//go:build service

package wallet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

// step is a step of a scenario; ../../scenarios/scenario.ts says what each one is.
type step struct {
	Do             string
	As             string
	Number         any
	Numbers        []int64
	AtMost         earnest.Amount `json:"at_most"`
	PayWith        []string       `json:"pay_with"`
	WithoutAccount bool           `json:"without_account"`
	Reason         string
	PageSize       int64 `json:"page_size"`
	Orders         int
	Types          []earnest.EventType
	Type           earnest.EventType
	Fails          map[string]any
}

type scenario struct {
	Name      string
	TimeoutMS int64 `json:"timeout_ms"`
	Alone     bool
	Steps     []step
}

func TestOverABadNetwork(t *testing.T) {
	text, err := os.ReadFile("../../scenarios/scenarios.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Before    []step
		Scenarios []scenario
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	stage := address(t, "EARNEST_STAGE_URL")
	// A scenario mostly waits for blocks, so all scenarios run at once.
	outcomes := map[string]chan error{}
	for _, one := range file.Scenarios {
		steps := append(append([]step{}, file.Before...), one.Steps...)
		if one.Alone {
			steps = one.Steps
		}
		outcome := make(chan error, 1)
		outcomes[one.Name] = outcome
		go func() { outcome <- play(ctx, stage, one, steps) }()
	}
	for _, one := range file.Scenarios {
		t.Run(one.Name, func(t *testing.T) {
			if err := <-outcomes[one.Name]; err != nil {
				t.Error(err)
			}
		})
	}
	if len(file.Scenarios) < 10 {
		t.Error("there are too few scenarios")
	}
}

// play runs a scenario, and returns its faults.
func play(ctx context.Context, stage string, one scenario, steps []step) error {
	scene, err := openScene(ctx, stage, one)
	if err != nil {
		return err
	}
	for _, step := range steps {
		err := scene.act(ctx, step)
		if step.Fails == nil && err == nil {
			continue
		}
		if found := describeFailure(err, step.Fails); step.Fails == nil || !reflect.DeepEqual(found, step.Fails) {
			return fmt.Errorf("%s, with the seed %s: %v; it should fail with %v: %w", step.Do, scene.Seed, found, step.Fails, err)
		}
	}
	ended, err := scene.close(ctx)
	if err == nil && len(ended.Wrong) > 0 {
		err = fmt.Errorf("the seed %s, %d requests, %v: %q", scene.Seed, ended.Requests, ended.Faults, ended.Wrong)
	}
	return err
}

// describeFailure writes an error in the form of the scenarios, with the expected fields.
func describeFailure(err error, expected map[string]any) map[string]any {
	all := map[string]any{}
	var refusal *earnest.Error
	var connection *earnest.ConnectionError
	var unpaid *earnest.PaymentFailedError
	switch {
	case errors.Is(err, earnest.ErrNotAsAgreed):
		all["code"] = "untrusted"
	case errors.As(err, &unpaid):
		all["code"] = "not_paid"
	case errors.As(err, &refusal):
		details := []any{}
		for _, one := range refusal.Details {
			details = append(details, map[string]any{"path": one.Path, "keyword": one.Keyword})
		}
		all = map[string]any{
			"code": string(refusal.Code), "status": float64(refusal.Status), "details": details,
		}
		if refusal.RetryAfter != nil {
			all["retry_after"] = refusal.RetryAfter.Seconds()
		}
	case errors.As(err, &connection):
		all["code"] = "connection"
	}
	found := map[string]any{}
	for name, value := range all {
		if _, isExpected := expected[name]; isExpected {
			found[name] = value
		}
	}
	return found
}
