package stats

import (
	"testing"

	"github.com/forage-net/forage/app/away"
	"github.com/forage-net/forage/storage"
)

// What is told of absences names pages and sites: it goes with whatever is erased.
func TestForget_Absences(t *testing.T) {
	err := openDB(t).Update(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		for _, key := range [][]byte{KeyAway, KeyBack} {
			if err := PutAbsence(b, key, &away.Record{Pages: 1}); err != nil {
				return err
			}
		}
		if err := Forget(b, func(string) bool { return false }); err != nil {
			return err
		}
		for _, key := range [][]byte{KeyAway, KeyBack} {
			if r, err := ReadAbsence(b, key); err != nil || r.Pages != 0 {
				t.Errorf("%s: %+v, %v", key, r, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
