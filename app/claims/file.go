package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	f, err := os.CreateTemp(filepath.Dir(path), TempPattern) // made with mode 0600
	if err != nil {
		return fmt.Errorf("save proofs of sites: %w", err)
	}
	_, err = f.Write(append(raw, '\n'))
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("save proofs of sites: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// TempPattern is that of the names of files that Save makes and that a killed process may leave behind.
const TempPattern = ".mine-*.tmp"
