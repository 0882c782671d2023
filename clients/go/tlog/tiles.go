package tlog

import (
	"crypto/sha256"
	"fmt"
)

const (
	// How many levels of the tree a tile spans (c2sp.org/tlog-tiles).
	tileHeight = 8
	// The hashes of a full tile, and the entries of a full bundle.
	tileWidth       = 256
	mostTileBytes   = tileWidth * sha256.Size
	mostBundleBytes = tileWidth * (2 + mostEntryBytes)
)

// tile is a tile of hashes: width of them, from the index * 256th of the tile's level on; 256 is a full one.
type tile struct {
	level int
	index int64
	width int64
}

// path is where a tile is served, below the log's prefix: tile/0/x001/234.p/5.
func (t tile) path() string {
	return fmt.Sprintf("tile/%d/%s", t.level, indexPath(t.index, t.width))
}

// entriesPath is where a bundle of entries is served, below the log's prefix.
func entriesPath(index, width int64) string { return "tile/entries/" + indexPath(index, width) }

func indexPath(index, width int64) string {
	path := fmt.Sprintf("%03d", index%1000)
	for rest := index / 1000; rest > 0; rest /= 1000 {
		path = fmt.Sprintf("x%03d/%s", rest%1000, path)
	}
	if width == tileWidth {
		return path
	}
	return fmt.Sprintf("%s.p/%d", path, width)
}

// tileOf is a tile as a tree of a size has it; its width is 0 where there is no such tile.
func tileOf(level int, index, size int64) tile {
	hashes := size>>(tileHeight*level) - index*tileWidth
	return tile{level, index, max(0, min(tileWidth, hashes))}
}

// edgeTiles are the last of each level that are not full: the root is computed from them.
func edgeTiles(size int64) []tile {
	var tiles []tile
	for level := 0; size>>(tileHeight*level) > 0; level++ {
		if last := tileOf(level, size>>(tileHeight*(level+1)), size); last.width > 0 {
			tiles = append(tiles, last)
		}
	}
	return tiles
}

// tileOf is the tile that has the hash of this subtree within it, in a tree of a size, and which of its hashes that spans.
func (s subtree) tileOf(size int64) (found tile, first, end int64) {
	count := int64(1) << (s.level % tileHeight)
	at := s.index * count
	return tileOf(s.level/tileHeight, at/tileWidth, size), at % tileWidth, at%tileWidth + count
}

// hashRanges are the hashes of ranges, read from the tiles of a tree of a size.
func hashRanges(ranges []leaves, size int64, read func(tile) ([]Hash, error)) ([]Hash, error) {
	hashes := make([]Hash, 0, len(ranges))
	for _, one := range ranges {
		var parts []Hash
		for _, part := range one.subtrees() {
			from, first, end := part.tileOf(size)
			row, err := read(from)
			if err != nil {
				return nil, err
			}
			parts = append(parts, hashComplete(row[first:end]))
		}
		hashes = append(hashes, joinSubtrees(parts))
	}
	return hashes, nil
}

// splitTile is a tile's hashes, of which there have to be so many.
func splitTile(bytes []byte, width int64) ([]Hash, error) {
	if int64(len(bytes)) != width*sha256.Size {
		return nil, refuse(WrongTile, "it has %d bytes, not %d", len(bytes), width*sha256.Size)
	}
	hashes := make([]Hash, width)
	for i := range hashes {
		hashes[i] = Hash(bytes[i*sha256.Size:])
	}
	return hashes, nil
}

// splitBundle is a bundle's entries, of which there have to be exactly so many: each comes after its length in two bytes.
func splitBundle(bytes []byte, width int64) ([][]byte, error) {
	entries := make([][]byte, 0, width)
	rest := bytes
	for len(rest) >= 2 && int64(len(entries)) < width {
		end := 2 + int(rest[0])<<8 + int(rest[1])
		if end > len(rest) {
			break
		}
		entries, rest = append(entries, rest[2:end]), rest[end:]
	}
	if int64(len(entries)) != width || len(rest) > 0 {
		return nil, refuse(WrongEntries, "it does not hold %d entries", width)
	}
	return entries, nil
}
