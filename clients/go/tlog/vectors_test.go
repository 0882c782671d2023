package tlog_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/earnest-market/earnest-go/tlog"
)

type vector struct {
	Kind, Name, Vkey, Note, Trust, Policy, Hash, Root, Entry, Proof, ID, X402, Given, Story string
	Cosigned, Hashes                                                                        []string
	Index, Size                                                                             int64
	OldSize                                                                                 int64  `json:"old_size"`
	OldRoot                                                                                 string `json:"old_root"`
	Document                                                                                json.RawMessage
	Remembered                                                                              string
	Newest                                                                                  bool
	Expected                                                                                map[string]any
}

type vectorsFile struct {
	Trusts  map[string]struct{ Vkey, Policy string }
	Stories map[string]map[string]string
	Cases   []vector
}

func readVectors(t testing.TB) (file vectorsFile) {
	t.Helper()
	text, err := os.ReadFile("../../../protocol/tlog/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func (f vectorsFile) trust(t testing.TB, name string) (trust tlog.Trust) {
	t.Helper()
	named, has := f.Trusts[name]
	if !has {
		t.Fatalf("there is no trust %s", name)
	}
	return trustOf(t, named.Vkey, named.Policy)
}

func trustOf(t testing.TB, vkey, policy string) (trust tlog.Trust) {
	t.Helper()
	var err error
	if vkey != "" {
		if trust.Key, err = tlog.ParseKey(vkey); err != nil {
			t.Fatal(err)
		}
	}
	if policy != "" {
		if trust.Policy, err = tlog.ParsePolicy(policy); err != nil {
			t.Fatal(err)
		}
	}
	return trust
}

func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func hashesOf(t testing.TB, texts ...string) []tlog.Hash {
	t.Helper()
	hashes := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		hashes[i] = tlog.Hash(bytesOf(t, text))
	}
	return hashes
}

// inMemory remembers checkpoints in memory.
type inMemory map[string]string

func (m inMemory) Get(_ context.Context, origin string) (string, error) { return m[origin], nil }

func (m inMemory) Set(_ context.Context, origin, checkpoint string) error {
	m[origin] = checkpoint
	return nil
}

// fetchOf reads the files that a log served.
func fetchOf(served map[string][]byte) tlog.Fetch {
	return func(_ context.Context, path string, most int64) ([]byte, error) {
		bytes, has := served[path]
		if !has || int64(len(bytes)) > most {
			return nil, errors.New("it is not there")
		}
		return bytes, nil
	}
}

// answerOf returns this package's result for a case, in the form of the vectors.
func answerOf(t testing.TB, file vectorsFile, one vector) (map[string]any, error) {
	t.Helper()
	inLog := func(found *tlog.VerifiedEntry, err error) (map[string]any, error) {
		if err != nil {
			return nil, err
		}
		return map[string]any{"index": found.Index, "size": found.Checkpoint.Size, "entry": found.Entry}, nil
	}
	switch one.Kind {
	case "vkey":
		key, err := tlog.ParseKey(one.Vkey)
		if err != nil {
			return nil, err
		}
		if key.String() != one.Vkey {
			t.Errorf("%s is written %s", one.Vkey, key)
		}
		return map[string]any{"name": key.Name, "id": key.ID, "type": key.Type}, nil
	case "checkpoint":
		found, err := tlog.VerifyCheckpoint(one.Note, file.trust(t, one.Trust))
		if err != nil {
			return nil, err
		}
		cosignatures := []any{}
		for _, by := range found.Cosignatures {
			cosignatures = append(cosignatures, map[string]any{"witness": by.Witness, "name": by.Name, "at": by.At.Unix()})
		}
		root := base64.StdEncoding.EncodeToString(found.Checkpoint.Root[:])
		return map[string]any{"origin": found.Checkpoint.Origin, "size": found.Checkpoint.Size, "root": root, "cosignatures": cosignatures}, nil
	case "policy":
		policy, err := tlog.ParsePolicy(one.Policy)
		if err != nil {
			return nil, err
		}
		return map[string]any{"quorum": policy.IsQuorum(one.Cosigned)}, nil
	case "inclusion":
		ends := hashesOf(t, one.Hash, one.Root)
		if !tlog.VerifyInclusion(ends[0], one.Index, one.Size, ends[1], hashesOf(t, one.Hashes...)) {
			return nil, &tlog.Error{Code: tlog.NotIncluded}
		}
		return map[string]any{}, nil
	case "consistency":
		roots := hashesOf(t, one.OldRoot, one.Root)
		if !tlog.VerifyConsistency(one.OldSize, roots[0], one.Size, roots[1], hashesOf(t, one.Hashes...)) {
			return nil, &tlog.Error{Code: tlog.NotConsistent}
		}
		return map[string]any{}, nil
	case "entry":
		entry, err := tlog.DecodeEntry([]byte(one.Entry))
		return map[string]any{"entry": entry}, err
	case "proof":
		found, err := tlog.VerifyProof(one.Proof, []byte(one.Entry), file.trust(t, one.Trust))
		if err != nil {
			return nil, err
		}
		return map[string]any{"index": found.Index, "size": found.Checkpoint.Size}, nil
	case "receipt":
		receipt := tlog.Receipt{ID: one.ID, Document: one.Document, X402: one.X402}
		return inLog(tlog.VerifyReceiptProof(one.Proof, receipt, file.trust(t, one.Trust)))
	case "revocation":
		return inLog(tlog.VerifyRevocationProof(one.Proof, one.ID, file.trust(t, one.Trust)))
	case "memory":
		served, memory := map[string][]byte{}, inMemory{}
		for path, bytes := range file.Stories[one.Story] {
			served[path] = bytesOf(t, bytes)
		}
		if one.Remembered != "" {
			memory[sampleOrigin] = one.Remembered
		}
		options := tlog.MemoryOptions{Memory: memory, Fetch: fetchOf(served), IsNewest: one.Newest}
		found, err := tlog.CheckMemory(t.Context(), one.Given, file.trust(t, one.Trust), options)
		kept := one.Remembered
		if err == nil && (found.Seen == tlog.SeenNothing || found.Seen == tlog.SeenSmaller) {
			kept = one.Given
		}
		if now := memory[sampleOrigin]; now != kept {
			t.Errorf("%s: remembered is %q, not %q", one.Name, now, kept)
		}
		if err != nil {
			return nil, err
		}
		return map[string]any{"seen": found.Seen}, nil
	default:
		t.Fatalf("no verifier of the kind %s", one.Kind)
		return nil, nil
	}
}

func TestTheLogsVectors(t *testing.T) {
	file := readVectors(t)
	kinds := map[string]int{}
	for _, one := range file.Cases {
		kinds[one.Kind]++
		found, err := answerOf(t, file, one)
		var refusal *tlog.Error
		if errors.As(err, &refusal) {
			told := map[string]any{"valid": false, "code": string(refusal.Code)}
			if refusal.Evidence != nil {
				told["evidence"] = map[string]any{"remembered": refusal.Evidence.Remembered, "given": refusal.Evidence.Given}
			}
			if _, has := one.Expected["evidence"]; !has {
				delete(told, "evidence")
			}
			found = told
		} else if err != nil {
			t.Fatal(err)
		} else {
			found["valid"] = true
		}
		var told map[string]any
		text, err := json.Marshal(found)
		if err != nil || json.Unmarshal(text, &told) != nil || !reflect.DeepEqual(told, one.Expected) {
			t.Errorf("%s: %s: %v, not %v", one.Kind, one.Name, told, one.Expected)
		}
		if refusal != nil && slices.Contains([]tlog.Code{tlog.Forked, tlog.RolledBack}, refusal.Code) != (refusal.Evidence != nil) {
			t.Errorf("%s: %s has the evidence %v", one.Kind, one.Name, refusal.Evidence)
		}
	}
	if len(kinds) < 10 || len(file.Cases) < 190 {
		t.Errorf("only %d cases of %d kinds", len(file.Cases), len(kinds))
	}
}
