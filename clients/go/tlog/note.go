package tlog

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// KeyType is the byte of a kind of key (c2sp.org/signed-note).
type KeyType byte

// The kinds that are checked here: a log's, and a witness's.
const (
	LogKey     KeyType = 1
	WitnessKey KeyType = 4
)

// Key is who signs notes: a name, and an Ed25519 key.
type Key struct {
	Name string
	Type KeyType
	// The first four bytes of SHA-256 over name, type and key, as a number.
	ID     uint32
	public ed25519.PublicKey
}

type signature struct {
	name string
	id   uint32
	// What follows the id.
	bytes []byte
}

type note struct {
	// With its last newline, without the blank line.
	text       string
	signatures []signature
}

const (
	// A note fits 16 signatures of 5 kB, as the standard asks.
	mostNoteLength = 131_072
	mostKeyLength  = 1024
	mostSignatures = 64
)

var (
	keyID        = regexp.MustCompile(`\A[0-9a-f]{8}\z`)
	control      = regexp.MustCompile(`[\x00-\x09\x0b-\x1f]`)
	plainDecimal = regexp.MustCompile(`\A(?:0|[1-9][0-9]{0,19})\z`)
)

// ParseKey reads a verifier key: name+id+base64. Its errors are MalformedKey, and UnsupportedKey for another kind than those here.
func ParseKey(vkey string) (*Key, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if isLonger(vkey, mostKeyLength) || len(parts) < 2 || !isKeyName(parts[0]) || !keyID.MatchString(parts[1]) {
		return nil, refuse(MalformedKey, "it is not a name, an id and base64 with a plus between them")
	}
	material, err := decodeBase64(strings.Join(parts[2:], ""))
	if err != nil {
		return nil, refuse(MalformedKey, "it does not end in base64")
	}
	if len(material) == 0 || !slices.Contains([]KeyType{LogKey, WitnessKey}, KeyType(material[0])) {
		return nil, refuse(UnsupportedKey, "its type is missing, or another than 1 and 4")
	}
	key := &Key{Name: parts[0], Type: KeyType(material[0]), public: material[1:]}
	if !isSound(key.public) {
		return nil, refuse(MalformedKey, "it is no sound Ed25519 key of 32 bytes")
	}
	digest := sha256.Sum256(append([]byte(key.Name+"\n"), material...))
	key.ID = binary.BigEndian.Uint32(digest[:])
	if fmt.Sprintf("%08x", key.ID) != parts[1] {
		return nil, refuse(MalformedKey, "the id is another key's")
	}
	return key, nil
}

// String is the verifier key as text.
func (k *Key) String() string {
	return fmt.Sprintf("%s+%08x+%s", k.Name, k.ID, base64.StdEncoding.EncodeToString(append([]byte{byte(k.Type)}, k.public...)))
}

func (k *Key) isSame(other *Key) bool { return k.Name == other.Name && k.ID == other.ID }

func (k *Key) requireSignature(signature []byte, message string) error {
	if len(signature) != ed25519.SignatureSize || !ed25519.Verify(k.public, []byte(message), signature) {
		return refuse(InvalidSignature, "the key is %s's", k.Name)
	}
	return nil
}

// weak are the keys of small order, by their y without the sign: anyone can sign anything under them.
var weak = []string{
	"\x00" + strings.Repeat("\x00", 31),
	"\x01" + strings.Repeat("\x00", 31),
	"\xec" + strings.Repeat("\xff", 30) + "\x7f",
	"\x26\xe8\x95\x8f\xc2\xb2\x27\xb0\x45\xc3\xf4\x89\xf2\xef\x98\xf0\xd5\xdf\xac\x05\xd3\xc6\x33\x39\xb1\x38\x02\x88\x6d\x53\xfc\x05",
	"\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67\x0f\x2a\x20\x53\xfa\x2c\x39\xcc\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a",
}

// isSound says whether a key is one that verifiers agree on: platforms differ in what they make of small orders, and of a y
// beyond the field.
func isSound(public []byte) bool {
	if len(public) != ed25519.PublicKeySize {
		return false
	}
	unsigned := slices.Clone(public)
	unsigned[31] &= 0x7f
	isBeyond := unsigned[0] >= 0xed && string(unsigned[1:]) == strings.Repeat("\xff", 30)+"\x7f"
	return !isBeyond && !slices.Contains(weak, string(unsigned))
}

// parseNote reads a signed note without checking a signature.
func parseNote(text string) (*note, error) {
	if err := requireText(text, mostNoteLength); err != nil {
		return nil, err
	}
	if control.MatchString(text) {
		return nil, refuse(Malformed, "it has a control character")
	}
	blank := strings.LastIndex(text, "\n\n")
	if blank < 0 {
		return nil, refuse(Malformed, "no blank line separates the signatures")
	}
	signatures, err := parseSignatures(text[blank+2:])
	return &note{text[:blank+1], signatures}, err
}

func parseSignatures(text string) ([]signature, error) {
	body, isWhole := strings.CutSuffix(text, "\n")
	if !isWhole {
		return nil, refuse(Malformed, "a signature line ends in a newline")
	}
	lines := strings.Split(body, "\n")
	if len(lines) > mostSignatures {
		return nil, refuse(TooLarge, "it has %d signatures", len(lines))
	}
	var found []signature
	for _, line := range lines {
		words := strings.Split(line, " ")
		if len(words) != 3 || words[0] != "—" || !isKeyName(words[1]) {
			return nil, refuse(Malformed, "a signature line is a dash, a name and base64")
		}
		bytes, err := decodeBase64(words[2])
		if err != nil {
			return nil, err
		}
		if len(bytes) < 5 {
			return nil, refuse(Malformed, "a signature has a key's id and more")
		}
		found = append(found, signature{words[1], binary.BigEndian.Uint32(bytes), bytes[4:]})
	}
	return found, nil
}

// find is the signature of a key, which is the first that bears its name and id; nil where there is none.
func (n *note) find(key *Key) *signature {
	at := slices.IndexFunc(n.signatures, func(one signature) bool { return one.name == key.Name && one.id == key.ID })
	if at < 0 {
		return nil
	}
	return &n.signatures[at]
}

// isKeyName takes what is neither empty nor has a space or a plus, as all key names.
func isKeyName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(letter rune) bool {
		return letter == '+' || letter < ' ' || unicode.IsSpace(letter)
	})
}

// isLonger counts as JavaScript does, in units of UTF-16.
func isLonger(text string, most int) bool {
	return len(text) > most && len(utf16.Encode([]rune(text))) > most
}

func requireText(text string, most int) error {
	if isLonger(text, most) {
		return refuse(TooLarge, "it is longer than %d", most)
	}
	if !utf8.ValidString(text) {
		return refuse(Malformed, "it is not UTF-8")
	}
	return nil
}

// decodeBase64 takes the one spelling that some bytes have (RFC 4648, section 4).
func decodeBase64(text string) ([]byte, error) {
	bytes, err := base64.StdEncoding.Strict().DecodeString(text)
	// Go's decoder skips line breaks.
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, refuse(Malformed, "it is not base64: %q", text[:min(len(text), 60)])
	}
	return bytes, nil
}

func decodeHash(text string) (hash Hash, err error) {
	bytes, err := decodeBase64(text)
	if err != nil || len(bytes) != sha256.Size {
		return hash, refuse(Malformed, "a hash is base64 of 32 bytes")
	}
	return Hash(bytes), nil
}

// parseDecimal reads a whole number without leading zeros.
func parseDecimal(text string) (int64, error) {
	if !plainDecimal.MatchString(text) {
		return 0, refuse(Malformed, "it is no decimal number: %q", text[:min(len(text), 30)])
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value > mostSafe {
		return 0, refuse(SizeTooLarge, "it is %s", text)
	}
	return value, nil
}
