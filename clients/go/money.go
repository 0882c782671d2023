package earnest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Amount is money: an exact decimal in text, as in "12.50". No float becomes one.
type Amount string

// BaseUnits is money in the token's smallest unit, in digits.
type BaseUnits string

// Uint256 is a whole number that may be beyond 2^53, in digits.
type Uint256 string

var (
	amountShape  = regexp.MustCompile(`\A(0|[1-9][0-9]{0,59})(?:\.([0-9]{1,60}))?\z`)
	uint256Shape = regexp.MustCompile(`\A(0|[1-9][0-9]{0,77})\z`)
)

// BaseUnits returns the amount in the smallest unit of a token with so many decimals. It refuses an amount that is finer than
// the token, or that is not a plain decimal. It rounds nothing.
func (a Amount) BaseUnits(decimals int) (*big.Int, error) {
	parts := amountShape.FindStringSubmatch(string(a))
	if parts == nil {
		return nil, fmt.Errorf(`earnest: %q is no amount: it is an exact decimal, as in "12.50"`, string(a))
	}
	// Trailing zeros do not make an amount finer.
	whole, fraction := parts[1], strings.TrimRight(parts[2], "0")
	if decimals < 0 || len(fraction) > decimals {
		return nil, fmt.Errorf("earnest: %q is finer than a token with %d decimals", string(a), decimals)
	}
	units, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	return units, nil
}

// AmountOf writes base units as an exact decimal, with all decimals of the token.
func AmountOf(units *big.Int, decimals int) (Amount, error) {
	if units == nil || units.Sign() < 0 || decimals < 0 {
		return "", fmt.Errorf("earnest: base units are a whole number, not negative")
	}
	digits := units.String()
	if decimals == 0 {
		return Amount(digits), nil
	}
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - decimals
	return Amount(digits[:point] + "." + digits[point:]), nil
}

// MarshalJSON refuses an amount that is not a plain decimal before anything is sent.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !amountShape.MatchString(string(a)) {
		return nil, fmt.Errorf(`%q is no amount: it is an exact decimal, as in "12.50"`, string(a))
	}
	return json.Marshal(string(a))
}

// Int returns the number of base units.
func (b BaseUnits) Int() (*big.Int, error) { return readDigits(string(b)) }

// Uint256Of writes a whole number, which is not negative and fits 256 bits.
func Uint256Of(number *big.Int) (Uint256, error) {
	if number == nil || number.Sign() < 0 || number.BitLen() > 256 {
		return "", fmt.Errorf("earnest: %v does not fit 256 bits without a sign", number)
	}
	return Uint256(number.String()), nil
}

// Int returns the number.
func (u Uint256) Int() (*big.Int, error) { return readDigits(string(u)) }

// MarshalJSON refuses a text that is not a whole number before anything is sent.
func (u Uint256) MarshalJSON() ([]byte, error) {
	if !uint256Shape.MatchString(string(u)) {
		return nil, fmt.Errorf("%q is no whole number in digits", string(u))
	}
	return json.Marshal(string(u))
}

func readDigits(text string) (*big.Int, error) {
	if !uint256Shape.MatchString(text) {
		return nil, fmt.Errorf("earnest: %q is no whole number in digits", text)
	}
	number, _ := new(big.Int).SetString(text, 10)
	return number, nil
}
