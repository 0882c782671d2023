package tlog

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Policy names the trusted logs and witnesses, and how many witnesses must cosign (c2sp.org/tlog-policy).
type Policy struct {
	logs      []*Key
	witnesses []witness
	// groups are in the order of their lines. The members of each group come before the group.
	groups []group
	quorum string
}

type witness struct {
	name string
	key  *Key
}

type group struct {
	name      string
	threshold int
	members   []string
}

const (
	mostPolicyLength = 65_536
	// The most logs, witnesses or groups. The standard requires 32.
	mostOfAKind = 64
)

var (
	policyControl = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)
	countShape    = regexp.MustCompile(`\A[1-9][0-9]{0,2}\z`)
)

// ParsePolicy reads a policy's text. Its errors are MalformedPolicy, TooLarge, MalformedKey and UnsupportedKey.
func ParsePolicy(text string) (*Policy, error) {
	if isLonger(text, mostPolicyLength) {
		return nil, refuse(TooLarge, "it is longer than %d", mostPolicyLength)
	}
	if !utf8.ValidString(text) || policyControl.MatchString(text) {
		return nil, refuse(MalformedPolicy, "it has a control character, or is not UTF-8")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		return nil, refuse(MalformedPolicy, "the last line has no newline")
	}
	reader := policyReader{defined: map[string]bool{"none": true}, members: map[string]bool{}}
	for at, line := range strings.Split(text, "\n") {
		words := strings.FieldsFunc(line, func(letter rune) bool { return letter == ' ' || letter == '\t' })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		reader.line = at + 1
		if err := reader.read(words[0], words[1:]); err != nil {
			return nil, err
		}
	}
	if reader.quorum == "" {
		return nil, refuse(MalformedPolicy, "it has no quorum line")
	}
	return &reader.Policy, nil
}

// IsQuorum reports whether the cosigning witnesses, by their names in the policy, are enough.
func (p *Policy) IsQuorum(cosigned []string) bool {
	witnessed := slices.Clone(cosigned)
	for _, one := range p.groups {
		count := 0
		for _, member := range one.members {
			if slices.Contains(witnessed, member) {
				count++
			}
		}
		if count >= one.threshold {
			witnessed = append(witnessed, one.name)
		}
	}
	return p.quorum == "none" || slices.Contains(witnessed, p.quorum)
}

type policyReader struct {
	Policy
	line             int
	defined, members map[string]bool
}

func (r *policyReader) refuse(why string) error {
	return refuse(MalformedPolicy, "line %d %s", r.line, why)
}

func (r *policyReader) define(name string) error {
	if r.defined[name] {
		return r.refuse("defines a name that is taken")
	}
	r.defined[name] = true
	return nil
}

func (r *policyReader) read(keyword string, words []string) error {
	switch {
	case keyword == "log" && (len(words) == 1 || len(words) == 2):
		key, err := r.readKey(words[0], LogKey, r.logs)
		r.logs = append(r.logs, key)
		return err
	case keyword == "witness" && (len(words) == 2 || len(words) == 3):
		return r.readWitness(words[0], words[1])
	case keyword == "group" && len(words) >= 3:
		return r.readGroup(words[0], words[1], words[2:])
	case keyword == "quorum" && len(words) == 1:
		if r.quorum != "" {
			return r.refuse("is a second quorum line")
		}
		if !r.defined[words[0]] {
			return r.refuse("names " + quote(words[0]) + ", which no line before defines")
		}
		r.quorum = words[0]
		return nil
	default:
		return r.refuse("is none of `log <vkey> [<url>]`, `witness <name> <vkey> [<url>]`, `group <name> all|any|<k> <name>...` and `quorum <name>`")
	}
}

func (r *policyReader) readWitness(name, vkey string) error {
	if err := r.define(name); err != nil {
		return err
	}
	var others []*Key
	for _, other := range r.witnesses {
		others = append(others, other.key)
	}
	key, err := r.readKey(vkey, WitnessKey, others)
	r.witnesses = append(r.witnesses, witness{name, key})
	return err
}

func (r *policyReader) readKey(vkey string, kind KeyType, others []*Key) (*Key, error) {
	key, err := ParseKey(vkey)
	if err != nil {
		return nil, err
	}
	if key.Type != kind {
		return nil, refuse(UnsupportedKey, "line %d has a key of another kind", r.line)
	}
	if len(others) >= mostOfAKind {
		return nil, refuse(TooLarge, "line %d is one too many", r.line)
	}
	if slices.ContainsFunc(others, func(other *Key) bool { return bytes.Equal(other.public, key.public) }) {
		return nil, r.refuse("has a key that another line has")
	}
	return key, nil
}

func (r *policyReader) readGroup(name, threshold string, members []string) error {
	for _, member := range members {
		if member == "none" || !r.defined[member] {
			return r.refuse("names " + quote(member) + ", which no line before defines")
		}
		// A witness that counts twice would make a quorum look larger.
		if r.members[member] {
			return r.refuse("names " + quote(member) + ", which is a member already")
		}
		r.members[member] = true
	}
	if err := r.define(name); err != nil {
		return err
	}
	needed := len(members)
	if threshold == "any" {
		needed = 1
	} else if threshold != "all" {
		count, err := strconv.Atoi(threshold)
		if err != nil || !countShape.MatchString(threshold) || count > len(members) {
			return r.refuse("needs a number from 1 to " + strconv.Itoa(len(members)))
		}
		needed = count
	}
	r.groups = append(r.groups, group{name, needed, members})
	if len(r.groups) > mostOfAKind {
		return refuse(TooLarge, "line %d is a group too many", r.line)
	}
	return nil
}

func quote(name string) string { return strconv.Quote(name[:min(len(name), 60)]) }
