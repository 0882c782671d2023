package strangers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"
)

type trust struct{ Vkey, Policy string }

type vector struct {
	Kind, Name, Vkey, Note, Trust, Proof, Entry, Hash, Root string
	OldRoot                                                 string `json:"old_root"`
	OldSize                                                 int64  `json:"old_size"`
	Index, Size                                             int64
	Hashes                                                  []string
	Strict                                                  bool
	Given, Story                                            string
	Expected                                                struct {
		Valid        bool
		Code         string
		Name         string
		ID           uint32
		Size         uint64
		Root         string
		Cosignatures []struct{ Name string }
	}
}

type vectorsFile struct {
	Trusts  map[string]trust
	Stories map[string]map[string]string
	Cases   []vector
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func readVectors(t *testing.T) (file vectorsFile) {
	read(t, "../../../tlog/vectors.json", &file)
	return
}

func decode(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// keysOf gives the log's key and the witnesses' keys of whom a case trusts; the quorum is our own code's to count.
func keysOf(whom trust) (vkey string, witnesses []string) {
	vkey = whom.Vkey
	for _, line := range strings.Split(whom.Policy, "\n") {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "log" {
			vkey = words[1]
		}
		if len(words) > 2 && words[0] == "witness" {
			witnesses = append(witnesses, words[2])
		}
	}
	return
}

// agree compares what strangers said with what a case expects.
func agree(t *testing.T, each vector, err error) bool {
	t.Helper()
	// Policies are ours to judge, and so is what other implementations are free to take.
	if each.Strict || each.Expected.Code == "quorum_not_met" || each.Expected.Code == "no_trusted_log" {
		return false
	}
	if (err == nil) != each.Expected.Valid {
		t.Errorf("%s, %s: expected valid %v, got %v", each.Kind, each.Name, each.Expected.Valid, err)
		return false
	}
	return err == nil
}

func casesOf(t *testing.T, file vectorsFile, kind string) []vector {
	t.Helper()
	cases := slices.DeleteFunc(slices.Clone(file.Cases), func(each vector) bool { return each.Kind != kind })
	if len(cases) < 5 {
		t.Fatalf("%d cases of %s", len(cases), kind)
	}
	return cases
}

func TestVerifierKeys(t *testing.T) {
	for _, each := range casesOf(t, readVectors(t), "vkey") {
		verifier, err := Verifier(each.Vkey)
		if agree(t, each, err) && (verifier.Name() != each.Expected.Name || verifier.KeyHash() != each.Expected.ID) {
			t.Errorf("%s: %s, %08x", each.Name, verifier.Name(), verifier.KeyHash())
		}
	}
}

func TestCheckpoints(t *testing.T) {
	file := readVectors(t)
	for _, each := range casesOf(t, file, "checkpoint") {
		vkey, witnesses := keysOf(file.Trusts[each.Trust])
		checkpoint, cosigners, err := OpenCheckpoint(each.Note, vkey, witnesses...)
		if !agree(t, each, err) {
			continue
		}
		if checkpoint.Size != each.Expected.Size || !bytes.Equal(checkpoint.Hash, decode(t, each.Expected.Root)) {
			t.Errorf("%s: another tree, %v", each.Name, checkpoint)
		}
		var names []string
		for _, one := range each.Expected.Cosignatures {
			names = append(names, one.Name)
		}
		if !slices.Equal(names, cosigners) {
			t.Errorf("%s: cosigned by %v, expected %v", each.Name, cosigners, names)
		}
	}
}

func TestProofs(t *testing.T) {
	file := readVectors(t)
	for _, each := range casesOf(t, file, "proof") {
		vkey, witnesses := keysOf(file.Trusts[each.Trust])
		_, err := OpenProof(each.Proof, []byte(each.Entry), vkey, witnesses...)
		agree(t, each, err)
	}
}

func TestInclusionsAndConsistencies(t *testing.T) {
	file := readVectors(t)
	hashesOf := func(each vector) (all [][]byte, sumdb []tlog.Hash) {
		for _, text := range each.Hashes {
			hash := decode(t, text)
			all = append(all, hash)
			sumdb = append(sumdb, tlog.Hash(hash))
		}
		return
	}
	for _, each := range casesOf(t, file, "inclusion") {
		all, sumdb := hashesOf(each)
		leaf, root := decode(t, each.Hash), decode(t, each.Root)
		agree(t, each, proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(each.Index), uint64(each.Size), leaf, all, root))
		agree(t, each, tlog.CheckRecord(sumdb, each.Size, tlog.Hash(root), each.Index, tlog.Hash(leaf)))
	}
	for _, each := range casesOf(t, file, "consistency") {
		// What an empty tree is continued by, tlog-witness says, and these do not.
		if each.OldSize == 0 {
			continue
		}
		all, sumdb := hashesOf(each)
		oldRoot, root := decode(t, each.OldRoot), decode(t, each.Root)
		agree(t, each, proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(each.OldSize), uint64(each.Size), all, oldRoot, root))
		agree(t, each, tlog.CheckTree(sumdb, each.Size, tlog.Hash(root), each.OldSize, tlog.Hash(oldRoot)))
	}
}

// tiles reads a story's tiles, by the paths that a log serves.
type tiles struct{ served map[string][]byte }

func (tiles) Height() int                         { return 8 }
func (tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (from tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		found, ok := from.served[strings.Replace(tile.Path(), "tile/8/", "tile/", 1)]
		if !ok {
			return nil, os.ErrNotExist
		}
		all = append(all, found)
	}
	return all, nil
}

func TestTiles(t *testing.T) {
	file := readVectors(t)
	vkey := file.Trusts["vkey"].Vkey
	trees := map[uint64]tlog.Tree{}
	for _, each := range casesOf(t, file, "memory") {
		if each.Story == "one" && each.Expected.Valid {
			checkpoint, _, err := OpenCheckpoint(each.Given, vkey)
			if err != nil {
				t.Fatal(err)
			}
			trees[checkpoint.Size] = tlog.Tree{N: int64(checkpoint.Size), Hash: tlog.Hash(checkpoint.Hash)}
		}
	}
	older, newer := trees[300], trees[520]
	storyOf := func(name string) tiles {
		story := tiles{map[string][]byte{}}
		for path, text := range file.Stories[name] {
			story.served[path] = decode(t, text)
		}
		return story
	}
	one := storyOf("one")
	for _, tree := range []tlog.Tree{older, newer} {
		// It gives no hash that does not lead to the checkpoint's root.
		hashes := tlog.TileHashReader(tree, one)
		for _, index := range []int64{0, 1, 255, 256, 299, tree.N - 1} {
			record, err := tlog.ProveRecord(tree.N, index, hashes)
			if err != nil {
				t.Fatalf("%d of %d: %v", index, tree.N, err)
			}
			leaf := tlog.RecordHash(entryOf(t, one, tree.N, index))
			if err := tlog.CheckRecord(record, tree.N, tree.Hash, index, leaf); err != nil {
				t.Errorf("%d of %d: %v", index, tree.N, err)
			}
		}
	}
	grown, err := tlog.ProveTree(newer.N, older.N, tlog.TileHashReader(newer, one))
	if err != nil {
		t.Fatal(err)
	}
	if err := tlog.CheckTree(grown, newer.N, newer.Hash, older.N, older.Hash); err != nil {
		t.Error(err)
	}
	if _, err := tlog.ProveTree(newer.N, older.N, tlog.TileHashReader(newer, storyOf("other"))); err == nil {
		t.Error("tiles of another story are taken")
	}
}

// entryOf reads an entry from its bundle: each follows its length, two bytes.
func entryOf(t *testing.T, story tiles, size, index int64) []byte {
	t.Helper()
	tile := tlog.Tile{H: 8, L: -1, N: index / 256, W: int(min(256, size-index/256*256))}
	bundle, ok := story.served[strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)]
	for range index % 256 {
		bundle = bundle[2+int(bundle[0])<<8+int(bundle[1]):]
	}
	if !ok {
		t.Fatalf("no bundle of entry %d", index)
	}
	return bundle[2 : 2+int(bundle[0])<<8+int(bundle[1])]
}

// What our verifier takes of thousands of changed texts, strangers take too, and read the same of it.
func TestChangedTexts(t *testing.T) {
	name := os.Getenv("CHANGED_LOG_TEXTS")
	if name == "" {
		t.Skip("CHANGED_LOG_TEXTS names no file: `npm run test:clients -- go` makes one")
	}
	var texts []struct {
		Kind, Text, Vkey, Entry string
		Witnesses               []string
		Taken                   bool
		Size                    uint64
		Cosigners               []string
	}
	read(t, name, &texts)
	taken, refused := 0, 0
	for _, each := range texts {
		var err error
		var cosigners []string
		size := each.Size
		switch each.Kind {
		case "checkpoint":
			checkpoint, names, failure := OpenCheckpoint(each.Text, each.Vkey, each.Witnesses...)
			if cosigners, err = names, failure; err == nil {
				size = checkpoint.Size
			}
		case "proof":
			_, err = OpenProof(each.Text, []byte(each.Entry), each.Vkey, each.Witnesses...)
			cosigners = each.Cosigners
		case "vkey":
			_, err = Verifier(each.Text)
		default:
			t.Fatalf("no such kind: %s", each.Kind)
		}
		if !each.Taken {
			refused++
			continue
		}
		taken++
		slices.Sort(cosigners)
		slices.Sort(each.Cosigners)
		if err != nil || size != each.Size || !slices.Equal(cosigners, each.Cosigners) {
			t.Errorf("we take a %s that strangers read otherwise (%v, size %d, %v):\n%q", each.Kind, err, size, cosigners, each.Text)
		}
	}
	if taken < 20 || refused < 500 {
		t.Errorf("%d were taken, %d refused: too few to say anything", taken, refused)
	}
}
