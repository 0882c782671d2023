package earnest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Opt is an optional field of a request. The zero Opt is left out.
type Opt[T any] struct {
	value T
	state optState
}

type optState int

const (
	optLeftOut optState = iota
	optNull
	optGiven
)

// Some returns an Opt with a value.
func Some[T any](value T) Opt[T] { return Opt[T]{value: value, state: optGiven} }

// Null returns an Opt that is sent as null. In a change, null removes the value.
func Null[T any]() Opt[T] { return Opt[T]{state: optNull} }

// String returns an Opt with a text.
func String(value string) Opt[string] { return Some(value) }

// Int returns an Opt with a whole number.
func Int(value int64) Opt[int64] { return Some(value) }

// Bool returns an Opt with true or false.
func Bool(value bool) Opt[bool] { return Some(value) }

// Get returns the value, and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.value, o.state == optGiven }

// IsZero reports whether the field is left out.
func (o Opt[T]) IsZero() bool { return o.state == optLeftOut }

// MarshalJSON writes the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.state != optGiven {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// JSON is an unparsed value. A Go map would turn its numbers into floats, so it is read on demand, and its bytes can be hashed.
type JSON []byte

// Decode reads the value into a pointer, as json.Unmarshal does; a number that goes into an any is a json.Number.
func (j JSON) Decode(into any) error {
	decoder := json.NewDecoder(bytes.NewReader(j))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// String returns the value's text, which is empty if there is none.
func (j JSON) String() string { return string(j) }

// MarshalJSON writes the value unchanged.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == nil {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON stores the value; null is nil.
func (j *JSON) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*j = nil
		return nil
	}
	*j = bytes.Clone(data)
	return nil
}

// decodeInto reads data as a T, and returns a pointer to it.
func decodeInto[T any](data JSON) (any, error) {
	value := new(T)
	if err := json.Unmarshal(data, value); err != nil {
		return nil, fmt.Errorf("earnest: %T: %w", value, err)
	}
	return value, nil
}
