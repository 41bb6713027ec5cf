package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/forage-net/forage/storage/warc/member"
	"github.com/forage-net/forage/storage/warc/record"
)

// vectors holds WARC files of other programs; tests of them are skipped where
// it is absent.
const vectors = "../../../../shared/vectors/warc"

// readAll returns "type length" of all records, and the error after them.
func readAll(r *record.Reader) (got []string, err error) {
	for {
		rec, err := r.Next()
		if err != nil {
			return got, err
		}
		n, err := io.Copy(io.Discard, rec.Body)
		got = append(got, fmt.Sprint(rec.Type, " ", n))
		if err != nil {
			return got, err
		}
	}
}

func TestReader_Vectors(t *testing.T) {
	entries, err := os.ReadDir(vectors)
	if err != nil {
		t.Skip(err)
	}
	repeat := func(s string, n int) []string { return slices.Repeat([]string{s}, n) }
	tests := []struct {
		file string
		want []string
		err  error
	}{
		{"cc_whirlwind.warc.gz", []string{"warcinfo 486", "request 265", "response 74581", "metadata 201"}, io.EOF},
		{"jwarc_cc.warc.gz", []string{"response 20931"}, io.EOF},
		{"iipc_20141129-heritrix-revisit-with-http-headers-and-new-warc-headers.warc.gz", []string{"revisit 385"}, io.EOF},
		{"warcio_example.warc.gz", []string{"warcinfo 249", "warcinfo 470", "response 975", "request 493", "revisit 369", "request 493"}, io.EOF},
		{"warcio_example-digest.warc", repeat("request 493", 4), io.EOF},
		// Its Content-Length is two bytes too small.
		{"warcio_example-trunc.warc", []string{"warcinfo 249", "warcinfo 470", "response 973"}, record.ErrFormat},
		// All records are in one member.
		{"gowarc_good.warc.gz.open", slices.Concat(repeat("response 426", 9), []string{"response 427"}, repeat("response 430", 40)), io.EOF},
		{"gowarc_corrupted-mid-record.warc.gz.open", slices.Concat(repeat("response 426", 9), []string{"response 427"}, repeat("response 430", 2)), record.ErrFormat},
	}
	if len(entries) != len(tests) {
		t.Errorf("there are %d files, the table has %d", len(entries), len(tests))
	}
	for _, tt := range tests {
		data, err := os.ReadFile(filepath.Join(vectors, tt.file))
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := readAll(record.NewReader(bytes.NewReader(data)))
		if !slices.Equal(got, tt.want) || !errors.Is(err, tt.err) {
			t.Errorf("%s holds\n%v, then %v, want\n%v, then %v", tt.file, got, err, tt.want, tt.err)
		}
		// However the bytes come, the records are the same.
		got, _ = readAll(record.NewReader(iotest.OneByteReader(bytes.NewReader(data))))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, read byte by byte, holds\n%v, want\n%v", tt.file, got, tt.want)
		}
		// Every tear shows as record.ErrTorn or as the end, or as the damage before it.
		for cut := 0; cut < len(data); cut += 1 + len(data)/300 {
			torn, err := readAll(record.NewReader(bytes.NewReader(data[:cut])))
			if len(torn) > len(tt.want) || err != io.EOF && !errors.Is(err, record.ErrTorn) && !errors.Is(err, tt.err) {
				t.Errorf("%s torn at %d: %d records, %v", tt.file, cut, len(torn), err)
			}
		}
	}
}

func TestReadAt_Vectors(t *testing.T) {
	path := filepath.Join(vectors, "warcio_example.warc.gz")
	f, err := os.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	r := record.NewReader(f)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(rec.Body)
		if err != nil || rec.Close() != nil {
			t.Fatal(err)
		}
		again, err := record.ReadAt(path, rec.Offset)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(again.Body)
		if err != nil || again.Close() != nil || !bytes.Equal(got, want) || again.Offset != rec.Offset || again.Length != rec.Length {
			t.Errorf("record.ReadAt(%d) = %d bytes at %d+%d, %v, want %d at %d+%d",
				rec.Offset, len(got), again.Offset, again.Length, err, len(want), rec.Offset, rec.Length)
		}
	}
}

func TestReadAt_Errors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path, []byte("WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 3\r\n\r\nabc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path   string
		offset int64
		want   error
	}{
		{path, 1, record.ErrFormat}, {path, 1000, record.ErrTorn}, {filepath.Join(dir, "none"), 0, os.ErrNotExist},
	} {
		if _, err := record.ReadAt(tt.path, tt.offset); !errors.Is(err, tt.want) {
			t.Errorf("record.ReadAt(%s, %d) returned %v, want %v", tt.path, tt.offset, err, tt.want)
		}
	}
	rec, err := record.ReadAt(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); !errors.Is(err, record.ErrTorn) {
		t.Errorf("Close of a torn record returned %v, want ErrTorn", err)
	}
}

func TestReader_Forms(t *testing.T) {
	const head = "WARC/1.1\r\nWARC-Type: metadata\r\n"
	const good = head + "Content-Length: 3\r\n\r\nabc\r\n\r\n"
	var whole member.Writer
	whole.Append([]byte(head+"Content-Length: 3\r\n\r\nabc"), nil, nil)
	var short member.Writer
	short.Append([]byte(head+"Content-Length: 9\r\n\r\nabc"), nil, nil)
	packed := string(whole.Out)
	broken := []byte(packed)
	broken[len(broken)-6] ^= 1 // the checksum
	tests := []struct {
		name, in string
		want     int
		err      error
	}{
		{"empty", "", 0, io.EOF},
		{"plain", good + good, 2, io.EOF},
		{"LF only", strings.ReplaceAll(good, "\r", ""), 1, io.EOF},
		{"1.0", strings.Replace(good, "1.1", "1.0", 1), 1, io.EOF},
		{"members", packed + packed, 2, io.EOF},
		{"mixed", packed + good + packed, 3, io.EOF},
		{"folded", strings.Replace(good, "metadata", "meta\r\n data", 1), 1, io.EOF},
		{"repeated length", strings.Replace(good, "Content-Length: 3", "Content-Length: 3\r\ncontent-length: 3", 1), 1, io.EOF},
		{"two lengths", strings.Replace(good, "Content-Length: 3", "Content-Length: 3\r\ncontent-length: 4", 1), 0, record.ErrFormat},
		{"negative length", head + "Content-Length: -1\r\n\r\n", 0, record.ErrFormat},
		{"huge length", head + "Content-Length: 99999999999999999999\r\n\r\n", 0, record.ErrFormat},
		{"length beyond the file", head + "Content-Length: 4000000000000000000\r\n\r\nabc", 1, record.ErrTorn},
		{"no length", head + "\r\n", 0, record.ErrFormat},
		{"no type", "WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n", 0, record.ErrFormat},
		{"no name", "WARC/1.1\r\n: x\r\n\r\n", 0, record.ErrFormat},
		{"no colon", "WARC/1.1\r\nx\r\n\r\n", 0, record.ErrFormat},
		{"folded first", "WARC/1.1\r\n x: y\r\n\r\n", 0, record.ErrFormat},
		{"other version", strings.Replace(good, "1.1", "0.9", 1), 0, record.ErrFormat},
		{"garbage", "hello\n", 0, record.ErrFormat},
		{"zeros", good + strings.Repeat("\x00", 100_000), 1, record.ErrFormat},
		{"one byte", "W", 0, record.ErrTorn},
		{"one byte of gzip", "\x1f", 0, record.ErrTorn},
		{"one other byte", "x", 0, record.ErrFormat},
		{"garbage without line end", "garbage", 0, record.ErrFormat},
		{"version cut", "WARC/1.1", 0, record.ErrTorn},
		{"no end", good[:len(good)-1], 1, record.ErrTorn},
		{"wrong end", good[:len(good)-4] + "WARC", 1, record.ErrFormat},
		{"checksum", string(broken), 1, record.ErrFormat},
		{"member cut", packed[:len(packed)-1], 1, record.ErrTorn},
		{"gzip header cut", packed[:7], 0, record.ErrTorn},
		{"gzip header wrong", "\x1f\x8b\x07" + packed[3:], 0, record.ErrFormat},
		{"block cut in a whole member", string(short.Out), 1, record.ErrFormat},
		{"long line", "WARC/1.1\r\nx: " + strings.Repeat("y", 64<<10) + "\r\n\r\n", 0, record.ErrFormat},
		{"many short lines", "WARC/1.1\r\n" + strings.Repeat("x: y\r\n", 256+1) + "\r\n", 0, record.ErrFormat},
		{"many folded lines", "WARC/1.1\r\nx: y\r\n" + strings.Repeat(" z\r\n", 10_000) + "\r\n", 0, record.ErrFormat},
		{"many long lines", "WARC/1.1\r\n" + strings.Repeat("x: "+strings.Repeat("y", 1000)+"\r\n", 70) + "\r\n", 0, record.ErrFormat},
	}
	for _, tt := range tests {
		r := record.NewReader(strings.NewReader(tt.in))
		got, err := readAll(r)
		if len(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %d records, then %v, want %d, then %v", tt.name, len(got), err, tt.want, tt.err)
		}
		if _, again := r.Next(); err == nil || again == nil {
			t.Errorf("%s: Next after %v returned %v", tt.name, err, again)
		}
	}
}

func TestReader_ErrorOfTheSource(t *testing.T) {
	const one = "WARC/1.1\r\nWARC-Type: x\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
	stop := errors.New("stop")
	for cut := range len(one) {
		r := record.NewReader(io.MultiReader(strings.NewReader(one[:cut]), iotest.ErrReader(stop)))
		if _, err := readAll(r); !errors.Is(err, stop) {
			t.Errorf("read error after %d bytes came out as %v", cut, err)
		}
	}
}

func TestReader_PassedRecord(t *testing.T) {
	const text = "WARC/1.1\r\nwarc-type: x\r\nWARC-Target-URI: <http://x/>\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
	r := record.NewReader(strings.NewReader(text + text))
	first, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if got := first.Header.URI(); got != "http://x/" {
		t.Errorf("URI is %q", got)
	}
	one := make([]byte, 1)
	if _, err := first.Body.Read(one); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if first.Length != int64(len(text)) {
		t.Errorf("Length is %d, want %d", first.Length, len(text))
	}
	if rest, err := io.ReadAll(first.Body); len(rest) > 0 {
		t.Errorf("read %q, %v from a record that was passed", rest, err)
	}
}

func FuzzReader(f *testing.F) {
	var w member.Writer
	w.Append([]byte("WARC/1.1\r\nWARC-Type: x\r\nContent-Length: 3\r\n\r\nabc"), nil, nil)
	f.Add(w.Out)
	f.Add(w.Out[:len(w.Out)-3])
	f.Add([]byte("WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"))
	if samples, err := filepath.Glob(vectors + "/*"); err == nil {
		for _, path := range samples {
			if data, err := os.ReadFile(path); err == nil {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := record.NewReader(bytes.NewReader(data))
		end := int64(0)
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				if !errors.Is(err, record.ErrTorn) && !errors.Is(err, record.ErrFormat) {
					t.Fatalf("untyped error %v", err)
				}
				break
			}
			if rec.Offset < end {
				t.Fatalf("record at %d overlaps the one that ends at %d", rec.Offset, end)
			}
			n, err := io.Copy(io.Discard, rec.Body)
			if err == nil && n != rec.ContentLength {
				t.Fatalf("block of %d bytes, want %d", n, rec.ContentLength)
			}
			if rec.Close() == nil {
				end = rec.Offset + rec.Length
			}
		}
		if end > int64(len(data)) {
			t.Fatalf("records end at %d of %d", end, len(data))
		}
	})
}
