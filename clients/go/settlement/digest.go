package settlement

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/earnest-market/earnest-go/internal/keccak"
)

// Digest returns the hash that a wallet signs (EIP-712).
func (t TypedData) Digest() (Hash, error) {
	separator, err := t.Domain.separator()
	if err != nil {
		return Hash{}, err
	}
	message, err := t.hashStruct(t.PrimaryType, t.Message)
	if err != nil {
		return Hash{}, err
	}
	return keccak.Sum256([]byte{0x19, 0x01}, separator, message), nil
}

// separator returns the domain's hash. A domain without a version has no such member.
func (d Domain) separator() ([]byte, error) {
	types := TypedData{Types: map[string][]Member{domainType: domainMembers(d.Version != "")}}
	return types.hashStruct(domainType, map[string]any{
		"name": d.Name, "version": d.Version, "chainId": new(big.Int).SetUint64(d.ChainID).String(),
		"verifyingContract": d.VerifyingContract.String(),
	})
}

func (t TypedData) hashStruct(name string, value map[string]any) ([]byte, error) {
	kind := keccak.Sum256([]byte(t.encodeType(name)))
	encoded := kind[:]
	for _, member := range t.Types[name] {
		field, err := t.encodeField(member.Type, value[member.Name])
		if err != nil {
			return nil, fmt.Errorf("settlement: %s.%s: %w", name, member.Name, err)
		}
		encoded = append(encoded, field...)
	}
	sum := keccak.Sum256(encoded)
	return sum[:], nil
}

// encodeType writes a type, and after it the types that it uses, by name.
func (t TypedData) encodeType(name string) string {
	used := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		for _, member := range t.Types[name] {
			if _, isStruct := t.Types[member.Type]; isStruct && !used[member.Type] {
				used[member.Type] = true
				visit(member.Type)
			}
		}
	}
	visit(name)
	delete(used, name)
	names := []string{}
	for one := range used {
		names = append(names, one)
	}
	slices.Sort(names)
	var text strings.Builder
	for _, one := range append([]string{name}, names...) {
		var fields []string
		for _, member := range t.Types[one] {
			fields = append(fields, member.Type+" "+member.Name)
		}
		text.WriteString(one + "(" + strings.Join(fields, ",") + ")")
	}
	return text.String()
}

func (t TypedData) encodeField(kind string, value any) ([]byte, error) {
	if _, isStruct := t.Types[kind]; isStruct {
		fields, isObject := value.(map[string]any)
		if !isObject {
			return nil, errors.New("it is no object")
		}
		return t.hashStruct(kind, fields)
	}
	if kind == "bool" {
		flag, isBool := value.(bool)
		if !isBool {
			return nil, fmt.Errorf("%v is neither true nor false", value)
		}
		return word(flag), nil
	}
	text := fmt.Sprint(value)
	switch {
	case kind == "string":
		sum := keccak.Sum256([]byte(text))
		return sum[:], nil
	case kind == "address":
		address, err := ParseAddress(text)
		return word(address), err
	case kind == "bytes32":
		hash, err := ParseHash(text)
		return word(hash), err
	case strings.HasPrefix(kind, "uint"):
		number, isNumber := new(big.Int).SetString(text, 10)
		if !isNumber {
			return nil, fmt.Errorf("%q is no whole number", text)
		}
		if err := requireUint256(number); err != nil {
			return nil, err
		}
		return word(number), nil
	default:
		return nil, fmt.Errorf("the type %s is not known here", kind)
	}
}
