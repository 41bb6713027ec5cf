// Package rtt holds the round trips between nodes that experiments run on: measured ones, read from a file, or
// generated ones for tests.
//
// A file has one line for each node, with the round trips to all nodes in milliseconds and white space between them,
// and may be compressed with gzip. So are the slices of PlanetLab in uofa-rzhu3/NetLatency-Data.
package rtt

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// MaxNodes bounds the memory of a matrix: 128 MB.
	MaxNodes = 4000
	// maxBytes bounds what is read of a file, uncompressed.
	maxBytes = 256 << 20
)

// ErrNone is returned where a directory has no file of round trips.
var ErrNone = errors.New("no file PlanetLabData_*")

// Matrix holds round trips. It never changes and may be used by any number of goroutines.
type Matrix struct {
	// Name says where the figures are from.
	Name string
	// Sum is the SHA-256 of the figures as they were read, uncompressed.
	Sum  [sha256.Size]byte
	rows [][]float64
}

// Len returns the number of nodes.
func (m *Matrix) Len() int { return len(m.rows) }

// At returns the round trip from a node to another in milliseconds, at least 0.
func (m *Matrix) At(from, to int) float64 { return m.rows[from][to] }

// Find reads the first file, by name, of a directory whose name begins with PlanetLabData_, or the file that path
// names.
func Find(path string) (*Matrix, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		found, err := filepath.Glob(filepath.Join(path, "PlanetLabData_*"))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s: %w", path, ErrNone)
		}
		path = found[0] // Glob sorts
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	m.Name = strings.TrimSuffix(filepath.Base(path), ".gz")
	return m, nil
}

// Read reads a matrix. It is square, and its figures are numbers from 0 to 60,000.
func Read(r io.Reader) (*Matrix, error) {
	b := bufio.NewReader(r)
	r = b
	if magic, _ := b.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		r = z
	}
	m, hash := &Matrix{}, sha256.New()
	lines := bufio.NewScanner(io.TeeReader(io.LimitReader(r, maxBytes), hash))
	lines.Buffer(nil, 32*MaxNodes)
	for lines.Scan() {
		row, err := readRow(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(m.rows)+1, err)
		}
		if row == nil {
			continue
		}
		if m.rows = append(m.rows, row); len(m.rows) > MaxNodes || len(row) != len(m.rows[0]) {
			return nil, fmt.Errorf("line %d: the matrix is not square or has more than %d nodes", len(m.rows), MaxNodes)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(m.rows) == 0 || len(m.rows) != len(m.rows[0]) {
		return nil, errors.New("the matrix is not square")
	}
	copy(m.Sum[:], hash.Sum(nil))
	return m, nil
}

// readRow returns nil for an empty line.
func readRow(line string) (row []float64, err error) {
	for _, field := range strings.Fields(line) {
		ms, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(ms) || ms < 0 || ms > 60_000 {
			return nil, fmt.Errorf("%.20q is no round trip", field)
		}
		row = append(row, ms)
	}
	return row, nil
}
