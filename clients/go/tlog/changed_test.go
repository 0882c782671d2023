//go:build service

package tlog_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/earnest-market/earnest-go/tlog"
)

// The test compares this package with the service's own verifier on thousands of changed texts.
func TestChangedTextsAreAnsweredAsByTheService(t *testing.T) {
	name := os.Getenv("CHANGED_LOG_TEXTS")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("CHANGED_LOG_TEXTS names no file: `npm run test:clients -- go` makes one: %v", err)
	}
	var texts []struct {
		Kind, Text, Vkey, Entry string
		Witnesses, Cosigners    []string
		Taken                   bool
		Size                    int64
	}
	if err := json.Unmarshal(text, &texts); err != nil {
		t.Fatal(err)
	}
	taken, refused := 0, 0
	for _, each := range texts {
		var err error
		var cosigners []string
		size := each.Size
		policy := ""
		for i, witness := range each.Witnesses {
			policy += fmt.Sprintf("witness w%d %s\n", i, witness)
		}
		trust := trustOf(t, each.Vkey, policy+"quorum none\n")
		switch each.Kind {
		case "checkpoint":
			var found *tlog.VerifiedCheckpoint
			if found, err = tlog.VerifyCheckpoint(each.Text, trust); err == nil {
				size = found.Checkpoint.Size
				for _, by := range found.Cosignatures {
					cosigners = append(cosigners, by.Name)
				}
			}
		case "proof":
			_, err = tlog.VerifyProof(each.Text, []byte(each.Entry), trust)
			cosigners = each.Cosigners
		case "vkey":
			_, err = tlog.ParseKey(each.Text)
		default:
			t.Fatalf("no such kind: %s", each.Kind)
		}
		if each.Taken {
			taken++
		} else {
			refused++
		}
		if each.Taken != (err == nil) || (each.Taken && (size != each.Size || !slices.Equal(cosigners, each.Cosigners))) {
			t.Errorf("the service: %v, %d, %v; here: %v, %d, %v:\n%q", each.Taken, each.Size, each.Cosigners, err, size, cosigners, each.Text)
		}
	}
	if taken < 20 || refused < 500 {
		t.Errorf("%d were taken, %d refused: too few to say anything", taken, refused)
	}
}
