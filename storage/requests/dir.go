package requests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Dir is the directory of a log, which may be read while a Log writes to it, and while
// none does.
type Dir string

const (
	extension = ".requests"
	dayLayout = "2006-01-02"
)

// dayOf names the day of a time, as its file does.
func dayOf(t time.Time) string { return t.UTC().Format(dayLayout) }

func (d Dir) path(day string) string { return filepath.Join(string(d), day+extension) }

// days returns the days of which there are files, in order.
func (d Dir) days() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for records of requests: %w", err)
	}
	var days []string
	for _, e := range entries {
		day, ok := strings.CutSuffix(e.Name(), extension)
		if _, err := time.Parse(dayLayout, day); ok && err == nil && e.Type().IsRegular() {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	return days, nil
}

// Remove deletes all that a log has written, and the directory if nothing else is in it.
func (d Dir) Remove() error {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete records of requests: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, extension) || strings.HasSuffix(name, temporary) {
			if err := os.Remove(filepath.Join(string(d), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("delete records of requests: %w", err)
			}
		}
	}
	os.Remove(string(d)) // unless something else is in it
	return nil
}
