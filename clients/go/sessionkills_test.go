package earnest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/settlement"
)

const killedCalls = 60

// TestSessionEnd is one end of a session in a process of its own. Only TestCallsCostTheirPriceThoughBothEndsAreKilled runs it.
func TestSessionEnd(t *testing.T) {
	folder := os.Getenv("SESSION_FOLDER")
	if folder == "" {
		return
	}
	agreement, err := os.ReadFile(filepath.Join(folder, "agreement"))
	if err != nil {
		t.Fatal(err)
	}
	escrow, err := settlement.ReadAgreement(agreement)
	if err != nil {
		t.Fatal(err)
	}
	m := &callMarket{T: t, agreement: agreement, escrow: escrow, buyer: plainKey{escrow.Terms.Buyer}}
	if port := os.Getenv("SESSION_PORT"); port != "" {
		m.options = earnest.ServeCallsOptions{Folder: filepath.Join(folder, "sessions"), Recover: m.recover}
		m.handler = earnest.HandleCall(func(_ context.Context, call earnest.PaidCall[int]) (int, error) {
			time.Sleep(20*time.Millisecond + rand.N(40*time.Millisecond))
			return 2 * call.Input, appendLine(filepath.Join(folder, "handled"), call.Input)
		})
		m.start()
		t.Fatal(http.ListenAndServe("127.0.0.1:"+port, m.calls))
	}
	m.callAll(folder)
}

// callAll makes the calls that have no answer in the folder.
func (m *callMarket) callAll(folder string) {
	answers := filepath.Join(folder, "answers")
	session, err := earnest.OpenAgreed(callOrder, m.agreement, earnest.SessionOptions{
		Buy: earnest.BuyOptions{Wallet: m.buyer}, File: filepath.Join(folder, "session.json"), Timeout: 30 * time.Second, AllowPrivate: true,
	})
	m.require(err)
	number := len(readLines(answers))
	keep := func(answer *earnest.CallAnswer, err error) {
		m.require(err)
		var output int
		if err := answer.Decode(&output); err != nil || output != 2*(number+1) {
			m.Fatalf("%s to %d, %v", answer.Body, number+1, err)
		}
		m.require(appendLine(answers, output))
		number++
	}
	// The last run may have got an answer that it did not keep.
	if session.Spent().Int64() > int64(1000*number) {
		keep(session.RepeatLast(m.Context()))
	}
	for number < killedCalls {
		keep(session.Call(m.Context(), number+1))
	}
}

func appendLine(path string, value int) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, value)
	return errors.Join(err, file.Close())
}

func readLines(path string) []string {
	text, _ := os.ReadFile(path)
	return strings.Fields(string(text))
}

func TestCallsCostTheirPriceThoughBothEndsAreKilled(t *testing.T) {
	m, folder := newCallMarket(t, "100000"), t.TempDir()
	m.require(m.calls.Stop())
	m.server.Close()
	m.require(os.Rename(m.folder, filepath.Join(folder, "sessions")))
	m.require(os.WriteFile(filepath.Join(folder, "agreement"), m.agreement, 0o600))
	_, port, _ := strings.Cut(strings.TrimPrefix(m.server.URL, "http://"), ":")
	start := func(port string) (*exec.Cmd, chan error) {
		program := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSessionEnd$", "-test.count=1")
		program.Env = append(os.Environ(), "SESSION_FOLDER="+folder, "SESSION_PORT="+port)
		m.require(program.Start())
		ended := make(chan error, 1)
		go func() { ended <- program.Wait() }()
		return program, ended
	}
	provider, providerEnded := start(port)
	buyer, buyerEnded := start("")
	kills, isDone := 0, false
	for until := time.Now().Add(time.Minute); !isDone; {
		select {
		case err := <-buyerEnded:
			m.require(err)
			isDone = true
		case <-time.After(200*time.Millisecond + rand.N(600*time.Millisecond)):
			kills++
			if time.Now().After(until) {
				t.Fatalf("%d of %d calls have an answer", len(readLines(filepath.Join(folder, "answers"))), killedCalls)
			}
			if kills%2 == 0 {
				if errors.Is(buyer.Process.Kill(), os.ErrProcessDone) {
					continue
				}
				<-buyerEnded
				buyer, buyerEnded = start("")
			} else {
				m.require(provider.Process.Kill())
				<-providerEnded
				provider, providerEnded = start(port)
			}
		}
	}
	m.require(provider.Process.Kill())
	<-providerEnded
	for index, answer := range readLines(filepath.Join(folder, "answers")) {
		if answer != fmt.Sprint(2*(index+1)) {
			t.Errorf("answer %d is %s", index, answer)
		}
	}
	m.options.Folder = filepath.Join(folder, "sessions")
	m.start()
	voucher := fmt.Sprintf(`"voucher":"%d;`, 1000*killedCalls)
	kept, err := os.ReadFile(filepath.Join(m.options.Folder, m.escrow.ID().String()+".json"))
	if err != nil || !strings.Contains(string(kept), voucher) {
		t.Errorf("%s, %v", kept, err)
	}
	// A handler runs again only for a call that a kill interrupted.
	if handled := len(readLines(filepath.Join(folder, "handled"))); handled < killedCalls || handled-killedCalls > kills {
		t.Errorf("%d handlers ran, with %d kills", handled, kills)
	}
}
