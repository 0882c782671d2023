package receipts

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/earnest-market/earnest-go/internal/keccak"
)

// check reports whether a value of JSON has a form.
type check func(value any) bool

// shape has exactly the members of an object.
type shape map[string]check

// problem returns the first difference between a value and the shape, or "".
func (s shape) problem(value any) string {
	object, isObject := value.(map[string]any)
	if !isObject {
		return "it is no object"
	}
	for name := range object {
		if _, known := s[name]; !known {
			return fmt.Sprintf("%s is not one of its members", name)
		}
	}
	for name, isGood := range s {
		if member, has := object[name]; !has || !isGood(member) {
			return fmt.Sprintf("%s is missing, or not in its exact form", name)
		}
	}
	return ""
}

func (s shape) check(value any) bool { return s.problem(value) == "" }

func (s shape) with(more shape) shape {
	all := shape{}
	for _, one := range []shape{s, more} {
		for name, isGood := range one {
			all[name] = isGood
		}
	}
	return all
}

func literal(wanted any) check {
	return func(value any) bool { return value == wanted }
}

func oneOf(wanted ...string) check {
	return func(value any) bool {
		text, isText := value.(string)
		return isText && slices.Contains(wanted, text)
	}
}

func nullable(isGood check) check {
	return func(value any) bool { return value == nil || isGood(value) }
}

func listOf(isGood check, least int) check {
	return func(value any) bool {
		list, isList := value.([]any)
		return isList && len(list) >= least && !slices.ContainsFunc(list, func(one any) bool { return !isGood(one) })
	}
}

func pattern(expression string) check {
	compiled := regexp.MustCompile(`\A(?:` + expression + `)\z`)
	return func(value any) bool {
		text, isText := value.(string)
		return isText && compiled.MatchString(text)
	}
}

// shortText accepts a text of at most so many characters, as JavaScript counts them.
func shortText(most int) check {
	return func(value any) bool {
		text, isText := value.(string)
		return isText && charactersOf(text) <= most
	}
}

func wholeNumber(least, most int64) check {
	return func(value any) bool {
		number, isNumber := value.(json.Number)
		whole, err := strconv.ParseInt(string(number), 10, 64)
		return isNumber && err == nil && whole >= least && whole <= most
	}
}

const mostSafe = 1<<53 - 1

var (
	isHash   = pattern(`0x[0-9a-f]{64}`)
	isChain  = pattern(`eip155:[1-9][0-9]{0,15}`)
	isDigits = pattern(`0|[1-9][0-9]{0,38}`)
	urlShape = regexp.MustCompile(`\A(https?)://([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+)\z`)
)

// isAddress accepts an address with its EIP-55 checksum.
func isAddress(value any) bool {
	text, isText := value.(string)
	if !isText || len(text) != 42 || !strings.HasPrefix(text, "0x") {
		return false
	}
	var address [20]byte
	if _, err := hex.Decode(address[:], []byte(text[2:])); err != nil {
		return false
	}
	return keccak.Checksummed(address) == text
}

// isAmount accepts base units that fit the contract's uint128.
func isAmount(value any) bool {
	if !isDigits(value) {
		return false
	}
	units, _ := new(big.Int).SetString(value.(string), 10)
	return units.BitLen() <= 128
}

// isURL accepts an http(s) URL of RFC 3986's characters only. Parsers read other characters differently.
func isURL(value any) bool {
	text, isText := value.(string)
	if !isText || len(text) > 2048 {
		return false
	}
	found := urlShape.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	authority := found[2]
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	address, err := url.Parse(found[1] + "://" + authority)
	if err != nil || address.Hostname() == "" {
		return false
	}
	port, err := strconv.ParseUint(address.Port(), 10, 16)
	return address.Port() == "" || (err == nil && port <= 65535)
}

var timeShape = regexp.MustCompile(`\A([0-9]{4}-[0-9]{2}-[0-9]{2})T((?:[01][0-9]|2[0-3]):[0-5][0-9])(:[0-5][0-9](?:\.[0-9]+)?)?(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])\z`)

// readTime reads an RFC 3339 time to the millisecond, as the other verifiers do.
func readTime(text string) (time.Time, bool) {
	found := timeShape.FindStringSubmatch(text)
	if found == nil {
		return time.Time{}, false
	}
	seconds := found[3]
	if seconds == "" {
		seconds = ":00"
	}
	at, err := time.Parse(time.RFC3339Nano, found[1]+"T"+found[2]+seconds+found[4])
	return at.Truncate(time.Millisecond).UTC(), err == nil
}

func isTime(value any) bool {
	text, isText := value.(string)
	_, isGood := readTime(text)
	return isText && isGood
}

// timeOf reads a time that was already checked.
func timeOf(object map[string]any, name string) time.Time {
	text, _ := object[name].(string)
	at, _ := readTime(text)
	return at
}

// charactersOf counts as JavaScript does: in units of UTF-16.
func charactersOf(text string) int {
	count := 0
	for _, letter := range text {
		count++
		if letter > 0xffff {
			count++
		}
	}
	return count
}

func textOf(object map[string]any, name string) string {
	text, _ := object[name].(string)
	return text
}
