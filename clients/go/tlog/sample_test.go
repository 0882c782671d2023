package tlog_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/earnest-market/earnest-go/tlog"
)

// sampleLog is a log in memory, with all served files by path.
type sampleLog struct {
	origin  string
	private ed25519.PrivateKey
	entries [][]byte
	served  map[string][]byte
}

func newSampleLog(origin string) *sampleLog {
	return &sampleLog{origin, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)), nil, map[string][]byte{}}
}

// keyOf returns the id of a name's key.
func keyOf(name string, kind byte, public []byte) (id []byte) {
	digest := sha256.Sum256(append([]byte(name+"\n"+string(rune(kind))), public...))
	return digest[:4]
}

func vkeyOf(name string, kind byte, public []byte) string {
	material := base64.StdEncoding.EncodeToString(append([]byte{kind}, public...))
	return fmt.Sprintf("%s+%x+%s", name, keyOf(name, kind, public), material)
}

func publicOf(private ed25519.PrivateKey) []byte { return private.Public().(ed25519.PublicKey) }

func (l *sampleLog) vkey() string { return vkeyOf(l.origin, 1, publicOf(l.private)) }

// append adds entries, serves all tiles of the grown tree, and signs its checkpoint.
func (l *sampleLog) append(entries ...[]byte) string {
	l.entries = append(l.entries, entries...)
	var row []tlog.Hash
	for begin := 0; begin < len(l.entries); begin += 256 {
		var bundle []byte
		end := min(begin+256, len(l.entries))
		for _, entry := range l.entries[begin:end] {
			row = append(row, tlog.HashLeaf(entry))
			bundle = append(binary.BigEndian.AppendUint16(bundle, uint16(len(entry))), entry...)
		}
		l.served[pathOf("entries", begin/256, end-begin)] = bundle
	}
	for level := 0; len(row) > 0; level++ {
		var above []tlog.Hash
		for begin := 0; begin < len(row); begin += 256 {
			end := min(begin+256, len(row))
			var tile []byte
			for _, hash := range row[begin:end] {
				tile = append(tile, hash[:]...)
			}
			l.served[pathOf(fmt.Sprint(level), begin/256, end-begin)] = tile
			if end-begin == 256 {
				above = append(above, rootOf(row[begin:end]))
			}
		}
		row = above
	}
	return l.sign()
}

// pathOf returns the path of a tile below number 1,000.
func pathOf(level string, index, width int) string {
	path := fmt.Sprintf("tile/%s/%03d", level, index)
	if width < 256 {
		path += fmt.Sprintf(".p/%d", width)
	}
	return path
}

func (l *sampleLog) leaves() []tlog.Hash {
	var hashes []tlog.Hash
	for _, entry := range l.entries {
		hashes = append(hashes, tlog.HashLeaf(entry))
	}
	return hashes
}

func (l *sampleLog) checkpoint() tlog.Checkpoint {
	return tlog.Checkpoint{Origin: l.origin, Size: int64(len(l.entries)), Root: rootOf(l.leaves())}
}

func (l *sampleLog) sign() string {
	tree := l.checkpoint()
	text := fmt.Sprintf("%s\n%d\n%s\n", tree.Origin, tree.Size, base64.StdEncoding.EncodeToString(tree.Root[:]))
	id := keyOf(l.origin, 1, publicOf(l.private))
	signature := base64.StdEncoding.EncodeToString(append(id, ed25519.Sign(l.private, []byte(text))...))
	return fmt.Sprintf("%s\n— %s %s\n", text, l.origin, signature)
}

// prove returns the proof of an entry as text.
func (l *sampleLog) prove(index int64) (string, error) {
	hashes, err := tlog.NewReader(l.checkpoint(), fetchOf(l.served)).ProveInclusion(context.Background(), index)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("c2sp.org/tlog-proof@v1\nextra %s\nindex %d\n", base64.StdEncoding.EncodeToString(l.entries[index]), index)
	for _, hash := range hashes {
		text += base64.StdEncoding.EncodeToString(hash[:]) + "\n"
	}
	return text + "\n" + l.sign(), nil
}

// rootOf computes the root by the definition of RFC 6962, section 2.1.
func rootOf(leaves []tlog.Hash) tlog.Hash {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	split := 1
	for split*2 < len(leaves) {
		split *= 2
	}
	left, right := rootOf(leaves[:split]), rootOf(leaves[split:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

// numbered returns the entries of a story between two numbers. A story always has the same entries.
func numbered(story string, from, to int) [][]byte {
	var entries [][]byte
	for i := from; i < to; i++ {
		entries = append(entries, fmt.Appendf(nil, "%s%d", story, i))
	}
	return entries
}
