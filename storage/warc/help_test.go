package warc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/digest"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

// mustOpen opens an archive that is closed with the test.
func mustOpen(t testing.TB, cfg Config) *Archive {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return warctest.Date }
	}
	a, err := Open(cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return a
}

// checkFiles verifies all that must hold of an archive directory at rest: every
// record is whole and has its digest, each response has its index line, files
// are in order and the size is right.
func checkFiles(t testing.TB, dir string) {
	t.Helper()
	files, err := warcfile.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		want := checkRecords(t, f)
		index, err := os.ReadFile(f.IndexPath())
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for line := range bytes.Lines(index) {
			said, ok := cdxj.Parse(line)
			if !ok || !bytes.HasSuffix(line, []byte("\n")) {
				t.Fatalf("%s: bad index line %q", f.IndexPath(), line)
			}
			if !bytes.Contains(line, []byte(`"filename":"`+f.String()+`"`)) {
				t.Errorf("%s: index line of another file: %s", f.IndexPath(), line)
			}
			got = append(got, said.Offset)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has lines for records at %v, want %v", f.IndexPath(), got, want)
		}
	}
}

// checkRecords verifies a file and returns the offsets of its responses.
func checkRecords(t testing.TB, f warcfile.File) (responses []int64) {
	t.Helper()
	data, err := os.ReadFile(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	r := record.NewReader(bytes.NewReader(data))
	offset := int64(0)
	for first := true; ; first = false {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Path(), err)
		}
		if first != (rec.Type == "warcinfo") {
			t.Errorf("%s: %s at %d", f.Path(), rec.Type, rec.Offset)
		}
		if rec.Offset != offset {
			t.Errorf("%s: record at %d, want %d", f.Path(), rec.Offset, offset)
		}
		block, err := io.ReadAll(rec.Body)
		if err != nil {
			t.Fatalf("%s: %v", f.Path(), err)
		}
		sum := sha1.Sum(block)
		if got, want := rec.Header.Get("WARC-Block-Digest"), string(digest.Append(nil, sum[:])); got != want {
			t.Errorf("%s: digest of %s at %d is %s, want %s", f.Path(), rec.Type, rec.Offset, got, want)
		}
		if rec.Type == "response" || rec.Type == "revisit" {
			responses = append(responses, rec.Offset)
		}
		if err := rec.Close(); err != nil {
			t.Fatalf("%s: %v", f.Path(), err)
		}
		checkMember(t, data[offset:offset+rec.Length], rec.ContentLength)
		offset += rec.Length
	}
	if offset != int64(len(data)) {
		t.Errorf("%s: records end at %d of %d", f.Path(), offset, len(data))
	}
	return responses
}

// checkMember verifies with another gzip reader that a record is one member.
func checkMember(t testing.TB, member []byte, content int64) {
	t.Helper()
	in := bytes.NewReader(member)
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false)
	record, err := io.ReadAll(z)
	if err != nil || in.Len() != 0 {
		t.Fatalf("member of %d bytes: %d left, %v", len(member), in.Len(), err)
	}
	head, rest, ok := bytes.Cut(record, []byte("\r\n\r\n"))
	if !ok || int64(len(rest)) != content+4 || !bytes.HasSuffix(rest, []byte("\r\n\r\n")) {
		t.Fatalf("record has head %q and %d bytes after it, want %d", head, len(rest), content+4)
	}
}

// abandon gives up an archive as a crash would, leaving its files as they are.
func abandon(a *Archive) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current != nil {
		a.current.close()
		a.current = nil
	}
}

var errStop = errors.New("stop")
