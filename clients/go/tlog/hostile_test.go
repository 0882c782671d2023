package tlog_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/earnest-market/earnest-go/tlog"
)

// Characters that readers of lines, base64, numbers and UTF-8 treat differently.
var odd = []string{"\n", "\n\n", "\r", "\t", " ", "\u00a0", "\u2028", "\ufeff", "\x00", "\xff", "\xed\xa0\x80", "+", "-", "=", "0", "9", "—", "{", "[", "\""}

func changed(chance *rand.Rand, text string) string {
	at := chance.IntN(len(text) + 1)
	end := min(len(text), at+[]int{0, 1, 2, 44, len(text)}[chance.IntN(5)])
	switch chance.IntN(4) {
	case 0:
		return text[:at] + text[end:]
	case 1:
		return text[:at] + text[at:end] + text[at:]
	case 2:
		return text[:at] + strings.Repeat(odd[chance.IntN(len(odd))], 1+chance.IntN(3)) + text[end:]
	default:
		return text[:at] + strings.ToUpper(text[at:end]) + text[end:]
	}
}

// Changed texts of the vectors are accepted or refused with a code, and nothing panics.
func TestHostileTextsAreRefusedWithACode(t *testing.T) {
	file, chance := readVectors(t), rand.New(rand.NewPCG(21, 3))
	good, refused := 0, map[tlog.Code]int{}
	for _, one := range file.Cases {
		if len(one.Note)+len(one.Proof)+len(one.Given) > 8000 {
			continue
		}
		for range 30 {
			hostile := one
			for _, text := range []*string{&hostile.Note, &hostile.Proof, &hostile.Given, &hostile.Policy, &hostile.Entry} {
				if *text != "" {
					*text = changed(chance, *text)
				}
			}
			if len(one.Document) > 0 {
				hostile.Document = json.RawMessage(changed(chance, string(one.Document)))
			}
			_, err := answerOf(t, file, hostile)
			var refusal *tlog.Error
			if err == nil {
				good++
			} else if !errors.As(err, &refusal) {
				t.Fatalf("%s: %s: %v", one.Kind, one.Name, err)
			} else {
				refused[refusal.Code]++
			}
		}
	}
	if good < 100 || len(refused) < 12 {
		t.Errorf("%d were taken, and refused %v: too few to say anything", good, refused)
	}
}
