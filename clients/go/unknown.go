package earnest

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// Unknown has the members of a response that this client does not know, unchanged. A newer service may add members.
type Unknown map[string]JSON

// readMembers reads an object into plain, a pointer to a struct without methods, and the members that the struct lacks into
// unknown. An object without such members is read in one pass.
func readMembers(data []byte, plain any, unknown *Unknown) error {
	*unknown = nil
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if decoder.Decode(plain) == nil {
		return nil
	}
	if err := json.Unmarshal(data, plain); err != nil {
		return err
	}
	var members Unknown
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	*unknown = without(members, reflect.TypeOf(plain).Elem())
	return nil
}

// writeMembers writes plain, a struct without methods, and the unknown members after its own.
func writeMembers(plain any, unknown Unknown) ([]byte, error) {
	text, err := json.Marshal(plain)
	if err != nil || len(unknown) == 0 {
		return text, err
	}
	unknown = without(maps.Clone(unknown), reflect.TypeOf(plain))
	rest, err := json.Marshal(unknown)
	if err != nil || len(unknown) == 0 {
		return text, err
	}
	if string(text) == "{}" {
		return rest, nil
	}
	return append(append(text[:len(text)-1], ','), rest[1:]...), nil
}

// without removes the members that a struct has or embeds.
func without(members Unknown, known reflect.Type) Unknown {
	for _, field := range reflect.VisibleFields(known) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(members, name)
	}
	return members
}
