package app

import (
	"bytes"
	"sync"

	"github.com/forage-net/forage/storage"
)

// robotsStore keeps the node's own copies of robots.txt. They go to disk with
// the next commit of the frontier, which comes within seconds: a commit of their own
// for each host would double the syncs.
type robotsStore struct {
	db *storage.DB

	mu      sync.Mutex
	pending map[string][]byte
}

func newRobotsStore(db *storage.DB) *robotsStore {
	return &robotsStore{db: db, pending: make(map[string][]byte)}
}

// Robots implements robots.Store.
func (s *robotsStore) Robots(origin string) (data []byte, err error) {
	s.mu.Lock()
	data, ok := s.pending[origin]
	s.mu.Unlock()
	if ok {
		return data, nil
	}
	err = s.db.View(func(tx *storage.Tx) error {
		data = bytes.Clone(tx.Bucket(storage.BucketRobots).Get([]byte(origin)))
		return nil
	})
	return data, err
}

// PutRobots implements robots.Store.
func (s *robotsStore) PutRobots(origin string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[origin] = bytes.Clone(data)
	return nil
}

// commit writes what is pending.
func (s *robotsStore) commit(tx *storage.Tx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	written := make(map[string][]byte, len(s.pending))
	for origin, data := range s.pending {
		if err := tx.Bucket(storage.BucketRobots).Put([]byte(origin), data); err != nil {
			return err
		}
		written[origin] = data
	}
	tx.OnCommit(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for origin, data := range written {
			if bytes.Equal(s.pending[origin], data) {
				delete(s.pending, origin)
			}
		}
	})
	return nil
}
