package earnest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestEachBlockOfTheReadmeIsAnExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples strings.Builder
	for _, file := range []string{"example_test.go", "wallet/example_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples.WriteString(regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(string(text), ""))
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	for _, block := range blocks {
		plain := regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(string(block[1]), "")
		if !strings.Contains(examples.String(), plain) {
			t.Errorf("no example has\n%s", block[1])
		}
	}
	if len(blocks) < 5 {
		t.Errorf("only %d blocks", len(blocks))
	}
}
