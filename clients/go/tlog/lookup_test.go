package tlog_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/tlog"
)

// service serves a log and proofs of the receipts in it.
type service struct {
	url, issuer string
	log         *sampleLog
	broken      int
}

func startService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	var err error
	if s.issuer, err = receipts.IssuerOf(server.URL); err != nil {
		t.Fatal(err)
	}
	s.log = newSampleLog(strings.TrimPrefix(server.URL, "http://") + "/log")
	s.grow(0, 5)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.broken != 0 {
		http.Redirect(w, r, "/log/vkey", s.broken)
		return
	}
	if r.URL.Path == "/log/vkey" {
		fmt.Fprintln(w, s.log.vkey())
		return
	}
	if tile, has := s.log.served[strings.TrimPrefix(r.URL.Path, "/log/")]; has {
		_, _ = w.Write(tile)
		return
	}
	number := strings.TrimPrefix(r.URL.Path, "/log/proofs/rcp_")
	index, err := strconv.ParseInt(number, 10, 64)
	if err != nil || index >= int64(len(s.log.entries)) {
		http.NotFound(w, r)
		return
	}
	proof, err := s.log.prove(index)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprint(w, proof)
}

func (s *service) document(n int) []byte {
	return fmt.Appendf(nil, `{"id":"%s/api/v1/receipts/rcp_%d","n":%d}`, s.url, n, n)
}

func (s *service) grow(from, to int) {
	var entries [][]byte
	for n := from; n < to; n++ {
		document, x402 := sha256.Sum256(s.document(n)), sha256.Sum256(fmt.Appendf(nil, "jws-%d", n))
		entries = append(entries, fmt.Appendf(nil, `{"document":"0x%x","kind":"receipt","receipt":"rcp_%d","v":1,"x402":"0x%x"}`, document, n, x402))
	}
	s.log.append(entries...)
}

func (s *service) lookUp(t *testing.T, receipt tlog.Receipt, options tlog.LookupOptions) (*tlog.Lookup, error) {
	t.Helper()
	options.Issuer = s.issuer
	return tlog.LookUpReceipt(t.Context(), receipt, options)
}

func requireOutcome(t *testing.T, err error, outcome tlog.Outcome, code tlog.Code) *tlog.Error {
	t.Helper()
	var refusal *tlog.Error
	if !errors.As(err, &refusal) || refusal.Outcome() != outcome || !errors.Is(err, code) {
		t.Fatalf("%v is not %s, %s", err, outcome, code)
	}
	return refusal
}

func TestAReceiptIsFoundByItsDocumentAndItsX402Receipt(t *testing.T) {
	s := startService(t)
	found, err := s.lookUp(t, tlog.Receipt{Document: s.document(3), X402: "jws-3"}, tlog.LookupOptions{})
	if err != nil || found.Index != 3 || found.Pinned || found.Seen != "" || found.Checkpoint.Size != 5 || found.Entry.Receipt != "rcp_3" {
		t.Fatalf("%+v, %v", found, err)
	}
	if found, err := s.lookUp(t, tlog.Receipt{ID: "rcp_2", X402: "jws-2"}, tlog.LookupOptions{}); err != nil || found.Index != 2 {
		t.Errorf("%+v, %v", found, err)
	}
	pinned := tlog.LookupOptions{Trust: trustOf(t, s.log.vkey(), "")}
	if found, err := s.lookUp(t, tlog.Receipt{Document: s.document(0)}, pinned); err != nil || !found.Pinned {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestALookupSaysWhatIsWrong(t *testing.T) {
	s := startService(t)
	receipt := tlog.Receipt{Document: s.document(3)}
	_, err := s.lookUp(t, receipt, tlog.LookupOptions{Trust: trustOf(t, newSampleLog("other.example/log").vkey(), "")})
	requireOutcome(t, err, tlog.Contradicted, tlog.UnknownLog)
	witness := vkeyOf("witness.example", 4, publicOf(witnessKey))
	policy := fmt.Sprintf("log %s\nwitness one %s\nquorum one\n", s.log.vkey(), witness)
	_, err = s.lookUp(t, receipt, tlog.LookupOptions{Trust: trustOf(t, "", policy)})
	requireOutcome(t, err, tlog.Contradicted, tlog.QuorumNotMet)
	changed := bytes.Replace(s.document(3), []byte(`"n":3`), []byte(`"n":4`), 1)
	_, err = s.lookUp(t, tlog.Receipt{Document: changed}, tlog.LookupOptions{})
	requireOutcome(t, err, tlog.Contradicted, tlog.OtherEntry)
	_, err = s.lookUp(t, tlog.Receipt{Document: s.document(77)}, tlog.LookupOptions{})
	requireOutcome(t, err, tlog.Absent, tlog.NotLogged)
	for _, unnamed := range []tlog.Receipt{{X402: "jws-3"}, {Document: []byte("{")}, {}} {
		_, err = s.lookUp(t, unnamed, tlog.LookupOptions{})
		requireOutcome(t, err, tlog.Unknown, tlog.NoReceiptID)
	}
	for _, status := range []int{http.StatusFound, http.StatusInternalServerError} {
		s.broken = status
		_, err = s.lookUp(t, receipt, tlog.LookupOptions{})
		requireOutcome(t, err, tlog.Unknown, tlog.LogUnavailable)
	}
	_, err = tlog.LookUpReceipt(t.Context(), receipt, tlog.LookupOptions{Issuer: "market.example"})
	if refusal := new(tlog.Error); err == nil || errors.As(err, &refusal) {
		t.Errorf("an issuer that is no did:web name: %v", err)
	}
}

func TestALogOfAnotherNameIsRefusedUnlessItsKeyIsPinned(t *testing.T) {
	s := startService(t)
	s.log = newSampleLog("elsewhere.example/log")
	s.grow(0, 5)
	receipt := tlog.Receipt{Document: s.document(3)}
	_, err := s.lookUp(t, receipt, tlog.LookupOptions{})
	requireOutcome(t, err, tlog.Contradicted, tlog.ForeignOrigin)
	if _, err := s.lookUp(t, receipt, tlog.LookupOptions{Trust: trustOf(t, s.log.vkey(), "")}); err != nil {
		t.Error(err)
	}
}

func TestAFileRemembersTheLogAndCatchesAnotherHistory(t *testing.T) {
	s := startService(t)
	path := filepath.Join(t.TempDir(), "state", "logs.json")
	// Each lookup is like another run of a program.
	lookUp := func() (*tlog.Lookup, error) {
		memory, err := tlog.NewFileMemory(path)
		if err != nil {
			t.Fatal(err)
		}
		return s.lookUp(t, tlog.Receipt{Document: s.document(1)}, tlog.LookupOptions{Memory: memory})
	}
	for _, step := range []struct {
		from, to int
		seen     tlog.Seen
	}{{5, 5, tlog.SeenNothing}, {5, 5, tlog.SeenSame}, {5, 300, tlog.SeenSmaller}} {
		s.grow(step.from, step.to)
		if found, err := lookUp(); err != nil || found.Seen != step.seen {
			t.Fatalf("%+v, %v", found, err)
		}
	}
	remembered, whole := s.log.sign(), s.log
	s.log = newSampleLog(whole.origin)
	s.grow(0, 5)
	if found, err := lookUp(); !errors.Is(err, tlog.TileUnavailable) {
		t.Fatalf("without tiles of what is remembered nothing is known: %+v, %v", found, err)
	}
	s.grow(5, 299)
	s.log.append([]byte("other"))
	s.grow(300, 310)
	_, err := lookUp()
	evidence := requireOutcome(t, err, tlog.Contradicted, tlog.Forked).Evidence
	if evidence == nil || evidence.Remembered != remembered || evidence.Given != s.log.sign() {
		t.Errorf("%+v", evidence)
	}
	s.log = whole
	if found, err := lookUp(); err != nil || found.Seen != tlog.SeenSame {
		t.Errorf("what was remembered is kept: %+v, %v", found, err)
	}
	for _, spoiled := range []string{"[1]", "null", fmt.Sprintf(`{%q:"x"}`, whole.origin), fmt.Sprintf(`{%q:%q}`, whole.origin, newSampleLog("b.example").append([]byte("0")))} {
		if err := os.WriteFile(path, []byte(spoiled), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := lookUp()
		if refusal := new(tlog.Error); err == nil || errors.As(err, &refusal) {
			t.Errorf("a memory that holds %s says nothing of the log: %v", spoiled, err)
		}
		if text, _ := os.ReadFile(path); string(text) != spoiled {
			t.Errorf("it was written over: %s", text)
		}
	}
}
