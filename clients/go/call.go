package earnest

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
)

// call is one operation with its arguments. The generated methods make calls.
type call struct {
	operation string
	verb      string
	// path is below /api/v1, and escaped.
	path pathText
	// root says that the path is below the service's own address, beside /api/v1. Responses that are not JSON lie there.
	root bool
	// accept is the media type of a response that is not JSON.
	accept string
	query  any
	body   any
	// open says that no token is sent.
	open bool
	// takesKey says that the service stores the response under an Idempotency-Key.
	takesKey bool
	// takesMatch says that the operation accepts If-Match.
	takesMatch bool
	// once is set if a retry would not be the same request. A 429 is retried in any case.
	once bool
}

// pathText is a path. A path that begins with an error mark names an invalid parameter.
type pathText string

const badPath = "!"

// pathOf puts escaped parameters into a path. It refuses "", "." and "..", which would lead to another path.
func pathOf(template string, parameters ...string) pathText {
	escaped := make([]any, len(parameters))
	for at, parameter := range parameters {
		if parameter == "" || parameter == "." || parameter == ".." {
			return pathText(fmt.Sprintf("%s%q cannot be a part of %s: give the id or slug", badPath, parameter, template))
		}
		escaped[at] = url.PathEscape(parameter)
	}
	return pathText(fmt.Sprintf(template, escaped...))
}

// request is the content that all tries of a call share. Each try has its own token.
type request struct {
	url    string
	header http.Header
	body   []byte
	key    string
}

func (t *transport) write(c call, rules settings) (*request, error) {
	if problem, isBad := strings.CutPrefix(string(c.path), badPath); isBad {
		return nil, fmt.Errorf("earnest: %s: %s", c.operation, problem)
	}
	query, err := writeQuery(c.query)
	if err != nil {
		return nil, fmt.Errorf("earnest: %s: %w", c.operation, err)
	}
	base := t.base.String()
	if c.root {
		base = strings.TrimSuffix(base, apiPath)
	}
	made := &request{url: base + string(c.path), header: http.Header{}}
	if query != "" {
		made.url += "?" + query
	}
	if c.body != nil {
		if made.body, err = json.Marshal(c.body); err != nil {
			return nil, fmt.Errorf("earnest: %s: %w", c.operation, err)
		}
		made.header.Set("Content-Type", "application/json")
	}
	made.header.Set("Accept", cmp.Or(c.accept, "application/json"))
	made.header.Set("User-Agent", "earnest-client-go/"+Version+" ("+runtime.Version()+")")
	if c.takesKey {
		made.key = cmp.Or(rules.idempotencyKey, newKey())
		made.header.Set("Idempotency-Key", made.key)
	}
	if rules.organisation != "" && !c.open {
		made.header.Set("X-Organisation", rules.organisation)
	}
	if rules.ifMatch != "" {
		if !c.takesMatch {
			return nil, fmt.Errorf("earnest: %s takes no If-Match", c.operation)
		}
		made.header.Set("If-Match", rules.ifMatch)
	}
	for name, values := range rules.header {
		made.header[name] = values
	}
	return made, nil
}

// writeQuery writes the fields of a query through their JSON, so that amounts are checked as in a body.
func writeQuery(query any) (string, error) {
	if query == nil {
		return "", nil
	}
	text, err := json.Marshal(query)
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := JSON(text).Decode(&fields); err != nil {
		return "", err
	}
	values := url.Values{}
	for name, value := range fields {
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, one := range list {
			if one != nil {
				values.Add(name, fmt.Sprint(one))
			}
		}
	}
	return values.Encode(), nil
}

// newKey returns 128 random bits as text.
func newKey() string {
	var bits [16]byte
	rand.Read(bits[:])
	return hex.EncodeToString(bits[:])
}
