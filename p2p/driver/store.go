package driver

import (
	"fmt"
	"sync/atomic"

	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

// store is the node's database, with what others do before and in its transactions.
type store struct {
	stream.Bolt
	before func() error
	in     func(*storage.Tx) error
	due    atomic.Bool // in has something to write
	// updates counts the transactions that wrote. The driver's goroutine alone makes them.
	updates uint64
}

func (s *store) Update(fn func(*storage.Tx) error) error {
	if s.before != nil {
		if err := s.before(); err != nil {
			return fmt.Errorf("prepare to commit: %w", err)
		}
	}
	due := s.due.Swap(false)
	s.updates++
	err := s.Bolt.Update(func(tx *storage.Tx) error {
		if err := fn(tx); err != nil || s.in == nil {
			return err
		}
		return s.in(tx)
	})
	if err != nil && due {
		s.due.Store(true)
	}
	return err
}

// commit is a transaction for others alone.
func (s *store) commit() error { return s.Update(func(*storage.Tx) error { return nil }) }
