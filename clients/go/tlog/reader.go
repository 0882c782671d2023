package tlog

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// Fetch gives the bytes below a log's prefix, such as tile/0/000, or an error where there are none or more than most.
type Fetch func(ctx context.Context, path string, most int64) ([]byte, error)

// Tiles that are kept, at 8 kB each: enough for any proof, and for a walk over all entries.
const tilesKept = 64

// Reader reads the tree of one checkpoint from its tiles, and believes none of them before it was shown to lead to the
// checkpoint's root. All that it gives is therefore as true as the checkpoint. Its errors are TileUnavailable, WrongTile and
// WrongEntries. Its memory is bounded, whatever the log's size. It serves one goroutine at a time.
type Reader struct {
	size  int64
	root  Hash
	fetch Fetch
	// The least recently used first.
	kept []keptTile
	edge map[tile][]Hash
}

type keptTile struct {
	tile   tile
	hashes []Hash
}

// NewReader reads the tree of a verified checkpoint.
func NewReader(checkpoint Checkpoint, fetch Fetch) *Reader {
	return &Reader{size: checkpoint.Size, root: checkpoint.Root, fetch: fetch}
}

// RootAt is the root that the tree had when it was of a size.
func (r *Reader) RootAt(ctx context.Context, size int64) (Hash, error) {
	if size < 0 || size > r.size {
		return Hash{}, fmt.Errorf("tlog: the tree has %d leaves, not %d", r.size, size)
	}
	hashes, err := r.hash(ctx, []leaves{{0, size}})
	if err != nil {
		return Hash{}, err
	}
	return hashes[0], nil
}

// ProveInclusion is the proof that a leaf is in the tree.
func (r *Reader) ProveInclusion(ctx context.Context, index int64) ([]Hash, error) {
	ranges, err := inclusionRanges(index, r.size)
	if err != nil {
		return nil, err
	}
	return r.hash(ctx, ranges)
}

// ProveConsistency is the proof that the tree continues its older self.
func (r *Reader) ProveConsistency(ctx context.Context, oldSize int64) ([]Hash, error) {
	ranges, err := consistencyRanges(oldSize, r.size)
	if err != nil {
		return nil, err
	}
	return r.hash(ctx, ranges)
}

// ReadEntry is the bytes of one entry.
func (r *Reader) ReadEntry(ctx context.Context, index int64) ([]byte, error) {
	if index < 0 || index >= r.size {
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

// Entries are those from an index on. The first error ends them.
func (r *Reader) Entries(ctx context.Context, from int64) iter.Seq2[NumberedEntry, error] {
	return func(yield func(NumberedEntry, error) bool) {
		for at := max(from, 0); at < r.size; {
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
	leaf := tileOf(0, index, r.size)
	pathOf := func(width int64) string { return entriesPath(index, width) }
	bytes, width, err := r.fetchWhole(ctx, pathOf, leaf.width, mostBundleBytes)
	if err != nil {
		return nil, err
	}
	hashes, err := r.readTile(ctx, leaf)
	if err != nil {
		return nil, err
	}
	entries, err := splitBundle(bytes, width)
	if err != nil {
		return nil, err
	}
	// A full bundle in a partial one's place has more.
	entries = entries[:leaf.width]
	for i, entry := range entries {
		if HashLeaf(entry) != hashes[i] {
			return nil, refuse(WrongEntries, "it is entry %d", index*tileWidth+int64(i))
		}
	}
	return entries, nil
}

func (r *Reader) hash(ctx context.Context, ranges []leaves) ([]Hash, error) {
	return hashRanges(ranges, r.size, func(one tile) ([]Hash, error) { return r.readTile(ctx, one) })
}

// readTile is a tile of this tree that leads to its root: one of the edge, or a full one whose hash its parent has.
func (r *Reader) readTile(ctx context.Context, wanted tile) ([]Hash, error) {
	if err := r.readEdge(ctx); err != nil {
		return nil, err
	}
	if hashes, has := r.edge[wanted]; has {
		return hashes, nil
	}
	if at := slices.IndexFunc(r.kept, func(one keptTile) bool { return one.tile == wanted }); at >= 0 {
		one := r.kept[at]
		r.kept = append(slices.Delete(r.kept, at, at+1), one)
		return one.hashes, nil
	}
	bytes, err := r.fetchOne(ctx, wanted.path(), mostTileBytes)
	if err != nil {
		return nil, err
	}
	parent := tileOf(wanted.level+1, wanted.index/tileWidth, r.size)
	siblings, err := r.readTile(ctx, parent)
	if err != nil {
		return nil, err
	}
	hashes, err := splitTile(bytes, wanted.width)
	if err != nil {
		return nil, err
	}
	at := wanted.index % tileWidth
	if at >= parent.width || hashComplete(hashes) != siblings[at] {
		return nil, refuse(WrongTile, "it is %s", wanted.path())
	}
	if r.kept = append(r.kept, keptTile{wanted, hashes}); len(r.kept) > tilesKept {
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	return hashes, nil
}

// readEdge fetches the tiles that the root is computed from, and keeps them once they came to it.
func (r *Reader) readEdge(ctx context.Context) error {
	if r.edge != nil {
		return nil
	}
	edge := map[tile][]Hash{}
	for _, one := range edgeTiles(r.size) {
		pathOf := func(width int64) string { return tile{one.level, one.index, width}.path() }
		bytes, _, err := r.fetchWhole(ctx, pathOf, one.width, mostTileBytes)
		if err != nil {
			return err
		}
		if edge[one], err = splitTile(bytes[:min(int64(len(bytes)), one.width*int64(len(Hash{})))], one.width); err != nil {
			return err
		}
	}
	read := func(one tile) ([]Hash, error) { return edge[one], nil }
	roots, err := hashRanges([]leaves{{0, r.size}}, r.size, read)
	if err != nil {
		return err
	}
	if roots[0] != r.root {
		return refuse(WrongTile, "the last tiles of %d entries have another root", r.size)
	}
	r.edge = edge
	return nil
}

// fetchWhole is a part, or the full one that took its place since, and how wide it is: a log may drop a partial tile then.
func (r *Reader) fetchWhole(ctx context.Context, pathOf func(width int64) string, width, most int64) ([]byte, int64, error) {
	bytes, err := r.fetchOne(ctx, pathOf(width), most)
	if err == nil || width == tileWidth {
		return bytes, width, err
	}
	if full, fullErr := r.fetchOne(ctx, pathOf(tileWidth), most); fullErr == nil {
		return full, tileWidth, nil
	}
	return nil, 0, err
}

func (r *Reader) fetchOne(ctx context.Context, path string, most int64) ([]byte, error) {
	bytes, err := r.fetch(ctx, path, most)
	if err != nil {
		return nil, unavailable(TileUnavailable, path, err)
	}
	return bytes, nil
}
