package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/forage-net/forage/storage/durable"
)

// maxFile is the most that is read of a file, in bytes; Max domains take a few kilobytes.
const maxFile = 64 << 10

// file is what is kept. It says whose it is: a proof is of one node.
type file struct {
	Node  string `json:"node"`
	Sites []Site `json:"sites"`
}

// Load reads what a node has saved. No file, one of another node, and one that cannot be read are as good as an
// empty one: the tokens are still where they were. The error is for the log.
func Load(path, node string) ([]Site, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read proofs of sites: %w", err)
	}
	defer f.Close()
	var kept file
	if err := json.NewDecoder(io.LimitReader(f, maxFile)).Decode(&kept); err != nil {
		return nil, fmt.Errorf("read proofs of sites: %s: %w", path, err)
	}
	if kept.Node != node {
		return nil, nil
	}
	return kept.Sites[:min(len(kept.Sites), Max)], nil
}

// Save replaces what is kept, in one step. The file is for the user alone.
func (c *Book) Save(path string) error {
	raw, err := json.MarshalIndent(file{Node: c.cfg.Node, Sites: c.Sites()}, "", "  ")
	if err != nil {
		return fmt.Errorf("save proofs of sites: %w", err)
	}
	if err := durable.Write(path, append(raw, '\n')); err != nil {
		return fmt.Errorf("save proofs of sites: %w", err)
	}
	return nil
}
