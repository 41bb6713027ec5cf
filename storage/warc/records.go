package warc

import (
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Records returns where in a file of the archive there are responses and revisits, by its index. A file that is
// not there has none.
func Records(dir, name string) (map[int64]bool, error) {
	at := make(map[int64]bool)
	n, ok := warcfile.ParseName(name)
	if !ok {
		return at, nil
	}
	f := warcfile.File{Name: n, Dir: dir}
	err := cdxj.Matching(f, []byte(`","offset":"`), func(line []byte) bool {
		at[cdxj.Place(line)] = true
		return true
	})
	return at, err
}
