package ledger

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/forage-net/forage/storage"
)

func TestRobotsStore_ReadsWhatIsNotYetCommitted(t *testing.T) {
	db := openDB(t)
	s := NewRobotsStore(db)
	want := func(when, origin, text string) {
		t.Helper()
		if got, err := s.Robots(origin); err != nil || string(got) != text {
			t.Errorf("%s: Robots(%s) = %q, %v; want %q", when, origin, got, err, text)
		}
	}
	want("at first", "http://a.test", "")
	data := []byte("first")
	s.PutRobots("http://a.test", data)
	copy(data, "XXXXX") // the caller's again
	want("pending", "http://a.test", "first")
	failed := errors.New("no room")
	if err := db.Update(func(tx *storage.Tx) error { return errors.Join(s.commit(tx), failed) }); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	want("after a commit that failed", "http://a.test", "first")
	if err := db.Update(func(tx *storage.Tx) error {
		if err := s.commit(tx); err != nil {
			return err
		}
		s.PutRobots("http://a.test", []byte("second")) // while it is being written
		s.PutRobots("http://b.test", []byte("other"))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want("after a commit", "http://a.test", "second")
	if len(s.pending) != 2 {
		t.Errorf("%d are pending, want 2", len(s.pending))
	}
	if err := db.Update(s.commit); err != nil {
		t.Fatal(err)
	}
	if len(s.pending) != 0 {
		t.Errorf("%d are pending after the last commit", len(s.pending))
	}
	want("in the end", "http://a.test", "second")
	want("in the end", "http://b.test", "other")
}

func TestRobotsStore_ManyAtATime(t *testing.T) {
	db := openDB(t)
	s := NewRobotsStore(db)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				origin, data := fmt.Sprintf("http://h%d.test", i), fmt.Sprint(n)
				s.PutRobots(origin, []byte(data))
				if got, err := s.Robots(origin); err != nil || string(got) != data {
					t.Errorf("Robots(%s) = %q, %v; want %q", origin, got, err, data)
				}
				if n%10 == i {
					if err := db.Update(s.commit); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 1234: "1.2 kB", 99_949: "99.9 kB", 99_950: "100 kB", 999_499: "999 kB", 999_500: "1.0 MB",
		5e9: "5.0 GB", 123e12: "123 TB", 5e15: "5000 TB",
	} {
		if got := FormatBytes(n); got != want {
			t.Errorf("FormatBytes(%d) = %q, want %q", n, got, want)
		}
	}
}
