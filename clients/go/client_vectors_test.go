package earnest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/settlement"
	"github.com/earnest-market/earnest-go/webhooks"
)

// readClientVectors reads what all clients do at the edges.
func readClientVectors(t *testing.T, into any) {
	t.Helper()
	text, err := os.ReadFile("../scenarios/client-vectors.json")
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// at is a clock's time of so many Unix seconds.
func at(seconds float64) time.Time {
	whole := math.Floor(seconds)
	return time.Unix(int64(whole), int64(math.Round((seconds-whole)*1e6))*1000)
}

func TestDeliveriesWithHeadersAtTheEdges(t *testing.T) {
	var vectors struct {
		Body       string `json:"delivery_body"`
		Deliveries []struct {
			Name, Secret string
			Now          float64
			Valid        bool
			Headers      [][2]string
		}
	}
	readClientVectors(t, &vectors)
	for _, one := range vectors.Deliveries {
		header := http.Header{}
		for _, pair := range one.Headers {
			header[pair[0]] = append(header[pair[0]], pair[1])
		}
		event, err := webhooks.Read([]byte(vectors.Body), header, at(one.Now), one.Secret)
		if one.Valid && (err != nil || event.Type != earnest.EventTypeOrderFunded) || !one.Valid && !errors.Is(err, webhooks.ErrSignature) {
			t.Errorf("%s: %v, %v", one.Name, event, err)
		}
	}
	if len(vectors.Deliveries) < 40 {
		t.Errorf("only %d cases", len(vectors.Deliveries))
	}
}

func TestRetryAfter(t *testing.T) {
	var vectors struct {
		RetryAfter []struct {
			Name    string
			Headers []string
			Now     float64
			Seconds *float64
		} `json:"retry_after"`
	}
	readClientVectors(t, &vectors)
	for _, one := range vectors.RetryAfter {
		found := earnest.ReadRetryAfter(http.Header{"Retry-After": one.Headers}, at(one.Now))
		if (found == nil) != (one.Seconds == nil) || found != nil && found.Seconds() != *one.Seconds {
			t.Errorf("%s: %v", one.Name, found)
		}
	}
	if len(vectors.RetryAfter) < 60 {
		t.Errorf("only %d cases", len(vectors.RetryAfter))
	}
}

func TestWholeNumbersOfAnAnswerAreExact(t *testing.T) {
	var vectors struct {
		Numbers []struct{ JSON, Text string }
		Digests struct{ Lost, Kept []string }
	}
	readClientVectors(t, &vectors)
	for _, one := range vectors.Numbers {
		var answer earnest.JSON
		service := newFlaky(t, `{"number": `+one.JSON+`}`)
		if err := service.client(t).Do(t.Context(), earnest.Request{Verb: "GET", Path: "/x"}, &answer); err != nil {
			t.Fatal(err)
		}
		var read map[string]any
		if err := answer.Decode(&read); err != nil || fmt.Sprint(read["number"]) != one.Text {
			t.Errorf("%s: %v, %v", one.JSON, read, err)
		}
	}
	for _, text := range vectors.Digests.Kept {
		if _, err := settlement.DigestOf([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range vectors.Digests.Lost {
		if digest, err := settlement.DigestOf([]byte(`{"a": [` + text + `]}`)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, %v", text, digest, err)
		}
	}
}
