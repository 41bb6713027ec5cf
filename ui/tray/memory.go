package tray

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/storage/durable"
)

const (
	// memoryName is the file in STATE that says of what the user was told, so that a restart tells nothing twice.
	memoryName = "notices.json"
	// memoryMax is the size in bytes, and memoryCauses the number of causes, beyond which a file is none of ours.
	memoryMax    = 16 << 10
	memoryCauses = 100
)

// recall reads what was known when the tray ran last. What cannot be read counts as nothing, what lies in the
// future as now.
func recall(dir string, now time.Time) (m memory, err error) {
	path := filepath.Join(dir, memoryName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return memory{}, nil
	}
	if err == nil && info.Size() > memoryMax {
		err = fmt.Errorf("%s is too large", path)
	}
	if err != nil {
		return memory{}, err
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && len(m.Told) > memoryCauses {
		err = fmt.Errorf("%s has %d causes", path, len(m.Told))
	}
	if err != nil {
		return memory{}, err
	}
	if m.Since.After(now) {
		m.Since = now
	}
	for cause, s := range m.Told {
		if s.At.After(now) {
			m.Told[cause] = seen{At: now}
		}
	}
	return m, nil
}

// text is what keep writes.
func (m memory) text() string {
	text, err := json.Marshal(m)
	if err != nil {
		return "" // of times that no calendar has
	}
	return string(text) + "\n"
}

// keep writes down what is known, in one step.
func keep(dir, text string) error {
	return durable.Change{Fleeting: true}.Write(filepath.Join(dir, memoryName), []byte(text))
}
