package oldgroup

import (
	"github.com/forage-net/forage/storage"
)

// Mended is to be called in the transaction in which the state of a log was changed without its entries,
// while no node runs: what is known of the log does not say any more what is in its state. A member that is one of
// several then copies the state anew from who leads before it uses it, or gives it to anybody; as long as there is
// nobody, it takes part in elections, and it can begin anew with what it has. again says that it is so. If this is
// the only one that votes, what it has is what the log is: those who only copied it are members no more, and are admitted
// anew. A bucket in which there is no log, or one that cannot be read, is left as it is.
func Mended(tx *storage.Tx, bucket string) (again bool, err error) {
	st, err := readState(tx, bucket)
	if err != nil || st.removed || st.alone() {
		return false, nil // who opens the log says what is wrong with it
	}
	b := bucketOf(tx, bucket)
	if !st.soleVoter() {
		if !st.copying {
			st.copying, st.mended = true, true
		}
		return true, b.Put(keyState, st.encode())
	}
	c := b.Cursor()
	c.Seek(keyState)
	if key, _ := c.Prev(); key != nil && entryIndex(key) > st.applied {
		return false, nil // an entry that is not applied may change who votes
	}
	st.members = []member{*st.member(st.id)}
	return false, b.Put(keyState, st.encode())
}
