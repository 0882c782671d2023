package earnest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"go/format"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"

	earnest "github.com/earnest-market/earnest-go"
)

func TestEveryFileIsAsGofmtWritesIt(t *testing.T) {
	count := 0
	filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		count++
		if formatted, err := format.Source(text); err != nil || !bytes.Equal(text, formatted) {
			t.Errorf("%s is not formatted: %v", path, err)
		}
		return nil
	})
	if count < 30 {
		t.Errorf("only %d files were looked at", count)
	}
}

// operations reads the description: verb and path by operationId.
func operations(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			// The path is at the root of the service.
			Servers []any `json:"servers"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for path, verbs := range document.Paths {
		for verb, operation := range verbs {
			if operation.OperationID == "streamEvents" || operation.OperationID == "readReceiptProof" {
				// These methods are hand-written: one response is endless, and tlog reads the other.
				continue
			}
			base := "/api/v1"
			if operation.Servers != nil {
				base = ""
			}
			all[operation.OperationID] = strings.ToUpper(verb) + " " + base + regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "x")
		}
	}
	return all
}

func TestEveryOperationHasAMethodThatSendsIt(t *testing.T) {
	var sent []string
	service := newFlaky(t, "")
	service.answer = func(r *http.Request) (map[string]string, string) { return nil, `{"items": [], "next_cursor": "c"}` }
	var reported []string
	client := service.client(t, earnest.WithHooks(earnest.Hooks{OnRequest: func(r earnest.RequestReport) { reported = append(reported, r.Operation) }}))

	var visit func(value reflect.Value)
	visit = func(value reflect.Value) {
		for i := range value.NumMethod() {
			method := value.Method(i)
			kind := method.Type()
			if !kind.IsVariadic() || kind.In(0) != reflect.TypeFor[context.Context]() || takesBytes(kind) {
				continue
			}
			arguments := []reflect.Value{reflect.ValueOf(t.Context())}
			for at := 1; at < kind.NumIn()-1; at++ {
				arguments = append(arguments, sampleOf(kind.In(at)))
			}
			before := len(service.requests())
			answers := method.Call(arguments)
			if page := answers[0].MethodByName("Page"); page.IsValid() {
				page.Call(nil)
			}
			if after := service.requests(); len(after) == before+1 {
				sent = append(sent, after[before].method+" "+after[before].path)
			}
		}
		inner := reflect.Indirect(value)
		for i := range inner.NumField() {
			field := inner.Type().Field(i)
			if field.IsExported() && field.Type.Kind() == reflect.Pointer && strings.HasSuffix(field.Type.String(), "Resource") ||
				field.Type.String() == "*earnest.Events" {
				visit(inner.Field(i))
			}
		}
	}
	visit(reflect.ValueOf(client.Events.EventsResource))
	resources := reflect.ValueOf(client).Elem().Field(0)
	for i := range resources.NumField() {
		if field := resources.Type().Field(i); field.IsExported() && field.Name != "Events" {
			visit(resources.Field(i))
		}
	}
	if _, err := client.Me(t.Context()); err == nil {
		sent = append(sent, "GET /api/v1/me")
	}
	if _, err := client.GetTransparency(t.Context()); err == nil {
		sent = append(sent, "GET /api/v1/transparency")
	}

	var want, ids []string
	for id, operation := range operations(t) {
		want, ids = append(want, operation), append(ids, id)
	}
	for _, list := range [][]string{want, ids, sent, reported} {
		sort.Strings(list)
	}
	if !reflect.DeepEqual(sent, want) {
		t.Errorf("sent\n%s\nwanted\n%s", strings.Join(sent, "\n"), strings.Join(want, "\n"))
	}
	if !reflect.DeepEqual(reported, ids) {
		t.Errorf("reported\n%s", strings.Join(reported, "\n"))
	}
}

func TestEveryAnswerKeepsUnknownMembers(t *testing.T) {
	kept := map[reflect.Type]bool{}
	var visit func(kind reflect.Type)
	visit = func(kind reflect.Type) {
		switch kind.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(kind.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if _, seen := kept[kind]; seen || kind.PkgPath() != reflect.TypeFor[earnest.Order]().PkgPath() {
			return
		}
		kept[kind] = true
		value := reflect.New(kind)
		if err := json.Unmarshal([]byte(`{"of_tomorrow": 9007199254740993}`), value.Interface()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if unknown := value.Elem().FieldByName("Unknown"); !unknown.IsValid() || unknown.Len() != 1 {
			t.Errorf("%s keeps no unknown member", kind)
		}
		for _, field := range reflect.VisibleFields(kind) {
			visit(field.Type)
		}
	}
	var walk func(owner reflect.Type)
	walk = func(owner reflect.Type) {
		for i := range owner.NumMethod() {
			kind := owner.Method(i).Type
			if !kind.IsVariadic() || kind.In(1) != reflect.TypeFor[context.Context]() {
				continue
			}
			answer := kind.Out(0)
			if page, isList := answer.MethodByName("Page"); isList {
				body, _ := page.Type.Out(0).Elem().FieldByName("Body")
				answer = body.Type
			}
			visit(answer)
		}
		for _, field := range reflect.VisibleFields(owner.Elem()) {
			if field.IsExported() && field.Type.Kind() == reflect.Pointer && strings.HasSuffix(field.Type.String(), "Resource") {
				walk(field.Type)
			}
		}
	}
	resources := reflect.TypeFor[earnest.Client]().Field(0).Type
	for i := range resources.NumField() {
		if field := resources.Field(i); field.IsExported() && field.Name != "Events" {
			walk(field.Type)
		}
	}
	walk(reflect.TypeFor[*earnest.EventsResource]())
	for _, data := range []any{earnest.WebhookEvent{}, earnest.OrderEventData{}, earnest.QuoteEventData{}} {
		visit(reflect.TypeOf(data))
	}
	if len(kept) < 200 {
		t.Errorf("only %d types were looked at", len(kept))
	}
}

// takesBytes reports whether a method uploads or downloads a file. These methods are hand-written, and send several requests.
func takesBytes(method reflect.Type) bool {
	for at := range method.NumIn() {
		if kind := method.In(at); kind == reflect.TypeFor[io.ReadSeeker]() || kind == reflect.TypeFor[io.Writer]() {
			return true
		}
	}
	return false
}

// sampleOf returns a value to send: texts are x, amounts 1.
func sampleOf(kind reflect.Type) reflect.Value {
	value := reflect.New(kind).Elem()
	switch {
	case kind.Kind() == reflect.Struct:
		for i := range kind.NumField() {
			field := value.Field(i)
			switch field.Interface().(type) {
			case earnest.Amount:
				field.SetString("1")
			case earnest.Uint256:
				field.SetString("2")
			}
		}
	case kind.Kind() == reflect.String:
		value.SetString("x")
	case kind.Kind() == reflect.Interface && kind.NumMethod() == 1:
		value.Set(reflect.ValueOf(earnest.PayoutAddress{Address: "0x"}))
	}
	return value
}
