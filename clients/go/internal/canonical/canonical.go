// Package canonical reads JSON strictly and writes it by RFC 8785 (JCS), so that it can be hashed.
package canonical

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrNotJSON says that a text is not JSON.
var ErrNotJSON = errors.New("it is not JSON")

// DuplicateError names a member that an object has twice.
type DuplicateError struct{ Name string }

func (e *DuplicateError) Error() string { return fmt.Sprintf("it has the member %q twice", e.Name) }

// NumberError is a number that Strict refuses.
type NumberError struct{ Text string }

func (e *NumberError) Error() string { return "it has the number " + e.Text }

// Parse reads a text into map[string]any, []any, string, json.Number, bool and nil. It refuses an object with a repeated
// member, because two readers could take different values.
func Parse(text []byte) (any, error) { return parse(text, false) }

// ParseWhole is Parse for signed data: every number has to be whole, below 2^53 and written plainly.
func ParseWhole(text []byte) (any, error) { return parse(text, true) }

func parse(text []byte, whole bool) (any, error) {
	if !utf8.Valid(text) || !json.Valid(text) || hasLoneSurrogate(text) {
		return nil, ErrNotJSON
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := readValue(decoder, whole)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, ErrNotJSON
	}
	return value, nil
}

// hasLoneSurrogate reports whether a valid text escapes half of a surrogate pair, which has no canonical form. The decoder of
// encoding/json would replace it with U+FFFD, so the text would differ from the signed text.
func hasLoneSurrogate(text []byte) bool {
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		unit, escaped := escapedUnit(text[at:])
		if !escaped {
			at++
			continue
		}
		at += 5
		if !utf16.IsSurrogate(unit) {
			continue
		}
		low, _ := escapedUnit(text[at+1:])
		if utf16.DecodeRune(unit, low) == utf8.RuneError {
			return true
		}
		at += 6
	}
	return false
}

// escapedUnit reads \uXXXX at the beginning of a text.
func escapedUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}

func readValue(decoder *json.Decoder, whole bool) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, ErrNotJSON
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			return readList(decoder, whole)
		}
		return readObject(decoder, whole)
	case json.Number:
		if whole && !isPlain(string(token)) {
			return nil, &NumberError{Text: string(token[:min(len(token), 40)])}
		}
		return token, nil
	default:
		return token, nil
	}
}

func readList(decoder *json.Decoder, whole bool) (any, error) {
	list := []any{}
	for decoder.More() {
		value, err := readValue(decoder, whole)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := decoder.Token()
	return list, err
}

func readObject(decoder *json.Decoder, whole bool) (any, error) {
	object := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, ErrNotJSON
		}
		name, _ := token.(string)
		if _, has := object[name]; has {
			return nil, &DuplicateError{Name: name}
		}
		value, err := readValue(decoder, whole)
		if err != nil {
			return nil, err
		}
		object[name] = value
	}
	_, err := decoder.Token()
	return object, err
}

const mostSafe = 1<<53 - 1

// isPlain reports whether a number is 0 or -?[1-9][0-9]* and safe to hold in a double.
func isPlain(text string) bool {
	number, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(number, 10) == text && number >= -mostSafe && number <= mostSafe
}

// Bytes writes a value of Parse, or of the same types, in its canonical form.
func Bytes(value any) ([]byte, error) {
	var out bytes.Buffer
	err := write(&out, value)
	return out.Bytes(), err
}

func write(out *bytes.Buffer, value any) error {
	switch value := value.(type) {
	case nil:
		out.WriteString("null")
	case bool:
		out.WriteString(strconv.FormatBool(value))
	case string:
		writeString(out, value)
	case json.Number:
		number, err := strconv.ParseFloat(string(value), 64)
		written := formatNumber(number)
		// A double with other digits is the canonical form of another number.
		if err != nil || math.IsInf(number, 0) || spellOnce(written) != spellOnce(string(value)) {
			return &NumberError{Text: string(value[:min(len(value), 40)])}
		}
		out.WriteString(written)
	case int64:
		return write(out, json.Number(strconv.FormatInt(value, 10)))
	case []any:
		out.WriteByte('[')
		for at, item := range value {
			if at > 0 {
				out.WriteByte(',')
			}
			if err := write(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	case map[string]any:
		return writeObject(out, value)
	default:
		return fmt.Errorf("a %T has no JSON form here", value)
	}
	return nil
}

func writeObject(out *bytes.Buffer, object map[string]any) error {
	names := slices.SortedFunc(maps.Keys(object), func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	out.WriteByte('{')
	for at, name := range names {
		if at > 0 {
			out.WriteByte(',')
		}
		writeString(out, name)
		out.WriteByte(':')
		if err := write(out, object[name]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func writeString(out *bytes.Buffer, text string) {
	out.WriteByte('"')
	for _, letter := range text {
		if escape, has := escapes[letter]; has {
			out.WriteString(escape)
		} else if letter < ' ' {
			fmt.Fprintf(out, `\u%04x`, letter)
		} else {
			out.WriteRune(letter)
		}
	}
	out.WriteByte('"')
}

// spellOnce writes a JSON number in the one spelling of its value.
func spellOnce(number string) string {
	digits, isNegative := strings.CutPrefix(number, "-")
	digits, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	// No double has a number that is out of range.
	power, _ := strconv.Atoi(exponent)
	short := strings.TrimRight(digits, "0")
	return fmt.Sprintf("%t %se%d", isNegative, short, power-len(fraction)+len(digits)-len(short))
}

// formatNumber writes a double as ECMAScript does (Number::toString).
func formatNumber(number float64) string {
	if number == 0 {
		return "0"
	}
	text := strconv.FormatFloat(number, 'e', -1, 64)
	mantissa, exponentText, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(exponentText)
	sign := ""
	if rest, negative := strings.CutPrefix(mantissa, "-"); negative {
		sign, mantissa = "-", rest
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	point := exponent + 1
	switch {
	case point > 21 || point < -5:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return fmt.Sprintf("%s%se%+d", sign, digits, exponent)
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		return sign + digits + strings.Repeat("0", point-len(digits))
	default:
		return sign + digits[:point] + "." + digits[point:]
	}
}
