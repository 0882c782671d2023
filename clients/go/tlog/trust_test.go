package tlog_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/earnest-market/earnest-go/tlog"
)

var witnessKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32))

// cosigned returns a checkpoint that a witness signed at a time.
func cosigned(signed string, at uint64) string {
	text := signed[:strings.LastIndex(signed, "\n\n")+1]
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", at, text)
	id := keyOf("witness.example", 4, publicOf(witnessKey))
	signature := append(binary.BigEndian.AppendUint64(id, at), ed25519.Sign(witnessKey, []byte(message))...)
	return signed + fmt.Sprintf("— witness.example %s\n", base64.StdEncoding.EncodeToString(signature))
}

func TestWhomToTrust(t *testing.T) {
	log := newSampleLog(sampleOrigin)
	signed := log.append([]byte("0"))
	witness := vkeyOf("witness.example", 4, publicOf(witnessKey))
	quorum := fmt.Sprintf("witness one %s\nquorum one\n", witness)
	other := fmt.Sprintf("log %s\nquorum none\n", newSampleLog("other.example/log").vkey())
	for name, one := range map[string]struct {
		note  string
		trust tlog.Trust
		code  tlog.Code
	}{
		"a witness that cosigned":                {cosigned(signed, 1<<53-1), trustOf(t, log.vkey(), quorum), ""},
		"a time that is no number of JavaScript": {cosigned(signed, 1<<53), trustOf(t, log.vkey(), quorum), tlog.InvalidSignature},
		"a witness that did not":                 {signed, trustOf(t, log.vkey(), quorum), tlog.QuorumNotMet},
		"a witness's key as the log's":           {signed, trustOf(t, witness, ""), tlog.UnsupportedKey},
		"a policy of other logs than the key's":  {signed, trustOf(t, log.vkey(), other), tlog.NoTrustedLog},
		"nobody":                                 {signed, tlog.Trust{}, tlog.NoTrustedLog},
		"the zero policy":                        {signed, tlog.Trust{Policy: &tlog.Policy{}}, tlog.NoTrustedLog},
		"the zero policy beside a key":           {signed, tlog.Trust{Key: trustOf(t, log.vkey(), "").Key, Policy: &tlog.Policy{}}, tlog.QuorumNotMet},
	} {
		_, err := tlog.VerifyCheckpoint(one.note, one.trust)
		if (one.code == "") != (err == nil) || (err != nil && !errors.Is(err, one.code)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := tlog.ParsePolicy(""); !errors.Is(err, tlog.MalformedPolicy) {
		t.Errorf("a policy of no text demands nothing: %v", err)
	}
	if _, err := tlog.ParseKey(log.vkey() + "\n"); !errors.Is(err, tlog.MalformedKey) {
		t.Errorf("a key with a line break: %v", err)
	}
	if tlog.VerifyConsistency(0, tlog.Hash{}, 0, tlog.Hash{}, nil) {
		t.Error("an empty tree of another root")
	}
}

// Anyone can sign under a key of small order, and verifiers disagree about a y beyond the field. Each key here has a correct id.
func TestKeysThatVerifiersDifferAboutAreRefused(t *testing.T) {
	for _, y := range []string{
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	} {
		for _, sign := range []byte{0, 0x80} {
			public, err := hex.DecodeString(y)
			if err != nil {
				t.Fatal(err)
			}
			public[31] |= sign
			if _, err := tlog.ParseKey(vkeyOf("z.example", 1, public)); !errors.Is(err, tlog.MalformedKey) {
				t.Errorf("%x: %v", public, err)
			}
		}
	}
}

func TestAnAnswerIsBoundedAndARedirectIsNotFollowed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/log/moved" {
			http.Redirect(w, r, "/log/here", http.StatusFound)
			return
		}
		fmt.Fprint(w, "12345")
	}))
	defer server.Close()
	fetch := tlog.FetchFrom(server.URL+"/log/", nil)
	if found, err := fetch(t.Context(), "here", 5); err != nil || string(found) != "12345" {
		t.Errorf("%s, %v", found, err)
	}
	if found, err := fetch(t.Context(), "here", 4); err == nil {
		t.Errorf("more than was asked for: %s", found)
	}
	if found, err := fetch(t.Context(), "moved", 5); err == nil {
		t.Errorf("a redirect was followed: %s", found)
	}
}
