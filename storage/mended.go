package storage

import "fmt"

// Mended is one kind of damage to the records of a store.
type Mended struct {
	// Count is how often, 1 at least.
	Count int
	// Found names what was wrong, in the plural; Done says what was done about it.
	Found, Done string
}

// String returns for example "damaged copies of robots.txt: 3, dropped".
func (m Mended) String() string { return fmt.Sprintf("%s: %d, %s", m.Found, m.Count, m.Done) }
