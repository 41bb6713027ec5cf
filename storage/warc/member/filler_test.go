package member

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/forage-net/forage/storage/durable/durabletest"
	"github.com/forage-net/forage/storage/warc/record"
)

// unpacked returns what is in a gzip member, as another reader sees it.
func unpacked(t *testing.T, member []byte) []byte {
	t.Helper()
	in := bytes.NewReader(member)
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false)
	text, err := io.ReadAll(z)
	if err != nil || in.Len() != 0 {
		t.Fatalf("member of %d bytes: %d left, %v", len(member), in.Len(), err)
	}
	return text
}

// memory is a file that is written from its beginning to its end, with holes.
type memory []byte

func (m *memory) Write(p []byte) (int, error) {
	*m = append(*m, p...)
	return len(p), nil
}

// Seek goes forward from where it is.
func (m *memory) Seek(n int64, _ int) (int64, error) {
	*m = append(*m, make([]byte, n)...)
	return int64(len(*m)), nil
}

func TestWriteFiller_EveryLength(t *testing.T) {
	for _, around := range []int64{LeastFiller, 2000, maxStored, maxStored + storedHead + LeastFiller, 2 * maxStored, 1 << 20} {
		for n := max(LeastFiller, around-400); n < around+400; n += durabletest.OneIn {
			var f memory
			if err := WriteFiller(&f, n); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			rec, err := record.NewReader(bytes.NewReader(f)).Next()
			if err == nil {
				err = rec.Close()
			}
			if err != nil || rec.Length != n {
				t.Fatalf("%d bytes are a record of %d, %v", n, rec.Length, err)
			}
			if n%97 == 0 {
				if got := unpacked(t, f); int64(len(got)) < rec.ContentLength {
					t.Errorf("%d bytes hold %d, want more than %d", n, len(got), rec.ContentLength)
				}
			}
		}
	}
}

func TestDrawIDs(t *testing.T) {
	var ids [2]ID
	DrawIDs(ids[:])
	for _, id := range ids {
		for _, i := range []int{8, 13, 18, 23} {
			if id[i] != '-' {
				t.Errorf("%s has no hyphen at %d", id[:], i)
			}
		}
		if id[14] != '4' || !bytes.ContainsRune([]byte("89ab"), rune(id[19])) {
			t.Errorf("%s is no random UUID", id[:])
		}
	}
	if ids[0] == ids[1] {
		t.Errorf("twice %s", ids[0][:])
	}
}
