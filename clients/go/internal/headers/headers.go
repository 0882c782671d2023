// Package headers reads the headers of requests.
package headers

import (
	"net/http"
	"strings"
)

// Values are the values of a header, whatever the case of its name.
func Values(header http.Header, name string) []string {
	var values []string
	for key, some := range header {
		if strings.EqualFold(key, name) {
			values = append(values, some...)
		}
	}
	return values
}
