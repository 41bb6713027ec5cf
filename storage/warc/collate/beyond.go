package collate

import (
	"bytes"
	"io"
	"os"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/member"
	"github.com/forage-net/forage/storage/warc/record"
)

const (
	// beyondTries is how many places that look like a record are tried behind
	// damage. What a site sent may hold any number of them.
	beyondTries = 256
	// beyondWindow is how many bytes are searched at a time.
	beyondWindow = 64 << 10
)

// wholeBeyond reports whether a whole response or revisit can be found between
// two offsets of a file whose index does not tell. It may say so wrongly, of a
// body that holds such a record or many beginnings of one, but does not miss
// one that an archive has written.
func wholeBeyond(src *os.File, from, to int64) bool {
	buf := make([]byte, beyondWindow)
	tries := 0
	for from < to {
		n, err := src.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		if n == 0 || err != nil && err != io.EOF {
			return err != io.EOF // it cannot be ruled out
		}
		for at := 0; ; at++ {
			i := bytes.Index(buf[at:n], []byte(member.Header))
			if i < 0 {
				break
			}
			at += i
			if tries++; tries > beyondTries || wholeResponse(src, from+int64(at)) {
				return true
			}
		}
		if n < len(member.Header) {
			return false
		}
		from += int64(n - len(member.Header) + 1)
	}
	return false
}

// wholeResponse reports whether a response or revisit as an archive writes them
// begins at offset and can be read to its end.
func wholeResponse(src io.ReaderAt, offset int64) bool {
	const end = 1 << 62
	rec, err := record.NewReaderAt(io.NewSectionReader(src, offset, end-offset), offset).Next()
	return err == nil && (rec.Type == "response" || rec.Type == "revisit") &&
		rec.ContentLength <= capture.MaxBlock && rec.Close() == nil
}
