package tlog

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	sumdb "golang.org/x/mod/sumdb/tlog"
)

// Fetch returns the bytes below a log's prefix, such as tile/0/000. It fails if there are none, or more than most.
type Fetch func(ctx context.Context, path string, most int64) ([]byte, error)

const (
	// The number of levels of the tree in a tile (c2sp.org/tlog-tiles).
	tileHeight = 8
	// The hashes of a full tile, and the entries of a full bundle.
	tileWidth       = 1 << tileHeight
	mostTileBytes   = tileWidth * sumdb.HashSize
	mostBundleBytes = tileWidth * (2 + mostEntryBytes)
	// The number of cached tiles, at 8 kB each: enough for any proof, and for a walk over all entries.
	tilesKept = 64
)

// Reader reads the tree of one checkpoint from its tiles. It uses only tiles that lead to the checkpoint's root, so its results
// are as trustworthy as the checkpoint. Its errors are TileUnavailable, WrongTile and WrongEntries. Its memory is bounded for
// any size of the log. One goroutine at a time may use it.
type Reader struct {
	tree  sumdb.Tree
	fetch Fetch
	// kept has the proven tiles, the oldest first.
	kept []keptTile
}

type keptTile struct {
	tile   sumdb.Tile
	hashes []byte
}

// NewReader reads the tree of a verified checkpoint.
func NewReader(checkpoint Checkpoint, fetch Fetch) *Reader {
	return &Reader{tree: sumdb.Tree{N: checkpoint.Size, Hash: checkpoint.Root}, fetch: fetch}
}

// RootAt returns the root of the tree at a size.
func (r *Reader) RootAt(ctx context.Context, size int64) (Hash, error) {
	if size < 0 || size > r.tree.N {
		return Hash{}, fmt.Errorf("tlog: the tree has %d leaves, not %d", r.tree.N, size)
	}
	root, err := sumdb.TreeHash(size, r.hashes(ctx))
	return root, wrongTile(err)
}

// ProveInclusion returns the proof that a leaf is in the tree.
func (r *Reader) ProveInclusion(ctx context.Context, index int64) ([]Hash, error) {
	if index < 0 || index >= r.tree.N {
		return nil, fmt.Errorf("tlog: a tree of %d leaves has no leaf %d", r.tree.N, index)
	}
	proof, err := sumdb.ProveRecord(r.tree.N, index, r.hashes(ctx))
	return proof, wrongTile(err)
}

// ProveConsistency returns the proof that the tree extends an older tree.
func (r *Reader) ProveConsistency(ctx context.Context, oldSize int64) ([]Hash, error) {
	if oldSize < 0 || oldSize > r.tree.N {
		return nil, fmt.Errorf("tlog: a tree of %d leaves continues none of %d", r.tree.N, oldSize)
	}
	if oldSize == 0 {
		return nil, nil
	}
	proof, err := sumdb.ProveTree(r.tree.N, oldSize, r.hashes(ctx))
	return proof, wrongTile(err)
}

// ReadEntry returns the bytes of one entry.
func (r *Reader) ReadEntry(ctx context.Context, index int64) ([]byte, error) {
	if index < 0 || index >= r.tree.N {
		return nil, fmt.Errorf("tlog: the tree has no leaf %d", index)
	}
	bundle, err := r.readBundle(ctx, index/tileWidth)
	if err != nil {
		return nil, err
	}
	return bundle[index%tileWidth], nil
}

// NumberedEntry is an entry's place and bytes.
type NumberedEntry struct {
	Index int64
	Bytes []byte
}

// Entries returns the entries from an index on. The first error ends the sequence.
func (r *Reader) Entries(ctx context.Context, from int64) iter.Seq2[NumberedEntry, error] {
	return func(yield func(NumberedEntry, error) bool) {
		for at := max(from, 0); at < r.tree.N; {
			bundle, err := r.readBundle(ctx, at/tileWidth)
			if err != nil {
				yield(NumberedEntry{}, err)
				return
			}
			for _, entry := range bundle[at%tileWidth:] {
				if !yield(NumberedEntry{at, entry}, nil) {
					return
				}
				at++
			}
		}
	}
}

func (r *Reader) readBundle(ctx context.Context, index int64) ([][]byte, error) {
	width := min(tileWidth, r.tree.N-index*tileWidth)
	bytes, served, err := r.fetchTile(ctx, sumdb.Tile{H: tileHeight, L: -1, N: index, W: int(width)}, mostBundleBytes)
	if err != nil {
		return nil, err
	}
	places := make([]int64, width)
	for i := range places {
		places[i] = sumdb.StoredHashIndex(0, index*tileWidth+int64(i))
	}
	hashes, err := r.hashes(ctx).ReadHashes(places)
	if err != nil {
		return nil, wrongTile(err)
	}
	entries, err := splitBundle(bytes, served)
	if err != nil {
		return nil, err
	}
	// A full bundle in the place of a partial one has more entries.
	entries = entries[:width]
	for i, entry := range entries {
		if HashLeaf(entry) != hashes[i] {
			return nil, refuse(WrongEntries, "it is entry %d", index*tileWidth+int64(i))
		}
	}
	return entries, nil
}

// hashes returns only hashes that lead to the checkpoint's root.
func (r *Reader) hashes(ctx context.Context) sumdb.HashReader {
	return sumdb.TileHashReader(r.tree, &tileReader{r, ctx})
}

// tileReader reads tiles for as long as a context lives.
type tileReader struct {
	*Reader
	ctx context.Context
}

func (t *tileReader) Height() int { return tileHeight }

func (t *tileReader) ReadTiles(tiles []sumdb.Tile) ([][]byte, error) {
	all := make([][]byte, len(tiles))
	for i, wanted := range tiles {
		if at := t.keptAt(wanted); at >= 0 {
			all[i] = t.kept[at].hashes
			continue
		}
		bytes, served, err := t.fetchTile(t.ctx, wanted, mostTileBytes)
		if err != nil {
			return nil, err
		}
		if len(bytes) != served*sumdb.HashSize {
			return nil, refuse(WrongTile, "%s has %d bytes, not %d", pathOf(wanted), len(bytes), served*sumdb.HashSize)
		}
		// A full tile in the place of a partial one has more hashes.
		all[i] = bytes[:wanted.W*sumdb.HashSize]
	}
	return all, nil
}

// SaveTiles stores proven tiles.
func (t *tileReader) SaveTiles(tiles []sumdb.Tile, data [][]byte) {
	for i, tile := range tiles {
		if at := t.keptAt(tile); at >= 0 {
			t.kept = slices.Delete(t.kept, at, at+1)
		}
		t.kept = append(t.kept, keptTile{tile, data[i]})
	}
	t.kept = slices.Delete(t.kept, 0, max(0, len(t.kept)-tilesKept))
}

func (r *Reader) keptAt(wanted sumdb.Tile) int {
	return slices.IndexFunc(r.kept, func(one keptTile) bool { return one.tile == wanted })
}

// fetchTile returns a tile or a bundle, and its width. A log may drop a partial tile once the full tile exists.
func (r *Reader) fetchTile(ctx context.Context, tile sumdb.Tile, most int64) ([]byte, int, error) {
	bytes, err := r.fetch(ctx, pathOf(tile), most)
	if err == nil {
		return bytes, tile.W, nil
	}
	full := tile
	full.W = tileWidth
	if full != tile {
		if bytes, fullErr := r.fetch(ctx, pathOf(full), most); fullErr == nil {
			return bytes, tileWidth, nil
		}
	}
	return nil, 0, unavailable(TileUnavailable, pathOf(tile), err)
}

// pathOf returns the path of a tile below the log's prefix: tile/0/x001/234.p/5. The Go project's paths name the height too.
func pathOf(tile sumdb.Tile) string {
	path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight), "tile/", 1)
	return strings.Replace(path, "tile/data/", "tile/entries/", 1)
}

// wrongTile returns a refusal of tiles that do not lead to the root. A refusal is returned unchanged.
func wrongTile(err error) error {
	if err == nil {
		return nil
	}
	return unavailable(WrongTile, "the tiles", err)
}

// splitBundle returns exactly so many entries of a bundle. Each entry follows its length in two bytes.
func splitBundle(bytes []byte, width int) ([][]byte, error) {
	entries := make([][]byte, 0, width)
	rest := bytes
	for len(rest) >= 2 && len(entries) < width {
		end := 2 + int(rest[0])<<8 + int(rest[1])
		if end > len(rest) {
			break
		}
		entries, rest = append(entries, rest[2:end]), rest[end:]
	}
	if len(entries) != width || len(rest) > 0 {
		return nil, refuse(WrongEntries, "it does not hold %d entries", width)
	}
	return entries, nil
}
