package tlog

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

// KeyType is the byte of a kind of key (c2sp.org/signed-note).
type KeyType byte

// The kinds that are checked here: a log's, and a witness's.
const (
	LogKey     KeyType = 1
	WitnessKey KeyType = 4
)

// Key is a signer of notes: a name, and an Ed25519 key.
type Key struct {
	Name string
	Type KeyType
	// The first four bytes of SHA-256 over name, type and key, as a number.
	ID       uint32
	public   []byte
	verifier note.Verifier
}

const (
	// A note fits 16 signatures of 5 kB, as the standard asks.
	mostNoteLength = 131_072
	mostKeyLength  = 1024
	mostSignatures = 64
)

var keyID = regexp.MustCompile(`\A[0-9a-f]{8}\z`)

// ParseKey reads a verifier key: name+id+base64. Its errors are MalformedKey, and UnsupportedKey for another kind than those here.
func ParseKey(vkey string) (*Key, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if isLonger(vkey, mostKeyLength) || len(parts) < 3 || !keyID.MatchString(parts[1]) || strings.ContainsFunc(parts[0], isControl) {
		return nil, refuse(MalformedKey, "it is not a name, an id and base64 with a plus between them")
	}
	material, err := decodeBase64(parts[2])
	if err != nil {
		return nil, refuse(MalformedKey, "it does not end in base64")
	}
	key := &Key{Name: parts[0]}
	if len(material) > 0 {
		key.Type, key.public = KeyType(material[0]), material[1:]
	}
	switch key.Type {
	case LogKey:
		key.verifier, err = note.NewVerifier(vkey)
	case WitnessKey:
		key.verifier, err = formats.NewVerifierForCosignatureV1(vkey)
	default:
		return nil, refuse(UnsupportedKey, "its type is missing, or another than 1 and 4")
	}
	if err != nil {
		return nil, refuse(MalformedKey, "%v", err)
	}
	if !isSound(key.public) {
		return nil, refuse(MalformedKey, "it is no sound Ed25519 key of 32 bytes")
	}
	// The cosignatures' library does not compare the id.
	if key.ID = key.verifier.KeyHash(); fmt.Sprintf("%08x", key.ID) != parts[1] {
		return nil, refuse(MalformedKey, "the id is another key's")
	}
	return key, nil
}

// String returns the verifier key as text.
func (k *Key) String() string {
	return fmt.Sprintf("%s+%08x+%s", k.Name, k.ID, base64.StdEncoding.EncodeToString(append([]byte{byte(k.Type)}, k.public...)))
}

func (k *Key) isSame(other *Key) bool { return k.Name == other.Name && k.ID == other.ID }

// weak has the keys of small order, by their y without the sign: anyone can sign under these keys.
var weak = []string{
	"\x00" + strings.Repeat("\x00", 31),
	"\x01" + strings.Repeat("\x00", 31),
	"\xec" + strings.Repeat("\xff", 30) + "\x7f",
	"\x26\xe8\x95\x8f\xc2\xb2\x27\xb0\x45\xc3\xf4\x89\xf2\xef\x98\xf0\xd5\xdf\xac\x05\xd3\xc6\x33\x39\xb1\x38\x02\x88\x6d\x53\xfc\x05",
	"\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67\x0f\x2a\x20\x53\xfa\x2c\x39\xcc\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a",
}

// isSound reports whether all verifiers agree on a key. Platforms treat small orders, and a y beyond the field, differently.
func isSound(public []byte) bool {
	if len(public) != 32 {
		return false
	}
	unsigned := slices.Clone(public)
	unsigned[31] &= 0x7f
	isBeyond := unsigned[0] >= 0xed && string(unsigned[1:]) == strings.Repeat("\xff", 30)+"\x7f"
	return !isBeyond && !slices.Contains(weak, string(unsigned))
}

// noteText is the text of a signed note, whose signatures are checked by openNote.
func noteText(signed string) (string, error) {
	if err := requireText(signed, mostNoteLength); err != nil {
		return "", err
	}
	blank := strings.LastIndex(signed, "\n\n")
	if blank < 0 {
		return "", refuse(Malformed, "no blank line separates the signatures")
	}
	lines := strings.Split(strings.TrimSuffix(signed[blank+2:], "\n"), "\n")
	if len(lines) > mostSignatures {
		return "", refuse(TooLarge, "it has %d signatures", len(lines))
	}
	// The library accepts more than one spelling of a signature's base64.
	for _, line := range lines {
		if _, err := decodeBase64(line[strings.LastIndex(line, " ")+1:]); err != nil {
			return "", err
		}
	}
	return signed[:blank+1], nil
}

// openNote returns the signatures of a note by these keys. A bad signature of one of the keys refuses the note.
func openNote(signed string, keys []*Key) ([]note.Signature, error) {
	verifiers := make([]note.Verifier, len(keys))
	for i, key := range keys {
		verifiers[i] = key.verifier
	}
	opened, err := note.Open([]byte(signed), note.VerifierList(verifiers...))
	var invalid *note.InvalidSignatureError
	var unverified *note.UnverifiedNoteError
	switch {
	case errors.As(err, &invalid):
		return nil, refuse(InvalidSignature, "the key is %s's", invalid.Name)
	case errors.As(err, &unverified):
		return nil, nil
	case err != nil:
		return nil, refuse(Malformed, "%v", err)
	}
	return opened.Sigs, nil
}

// signatureOf returns the signature of a key, or nil.
func signatureOf(key *Key, signatures []note.Signature) *note.Signature {
	at := slices.IndexFunc(signatures, func(one note.Signature) bool { return one.Name == key.Name && one.Hash == key.ID })
	if at < 0 {
		return nil
	}
	return &signatures[at]
}

func isControl(letter rune) bool { return letter < ' ' }

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

// decodeBase64 accepts the one spelling of some bytes (RFC 4648, section 4).
func decodeBase64(text string) ([]byte, error) {
	bytes, err := base64.StdEncoding.Strict().DecodeString(text)
	// Go's decoder skips line breaks.
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, refuse(Malformed, "it is not base64: %q", text[:min(len(text), 60)])
	}
	return bytes, nil
}
