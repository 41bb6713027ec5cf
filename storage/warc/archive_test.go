package warc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
	"github.com/forage-net/forage/storage/warc/warctest"
)

func TestAppend_RoundTrip(t *testing.T) {
	chunked := warctest.Page(2)
	chunked.HeadLen = len("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: Text/HTML\r\n\r\n")
	chunked.Response = []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: Text/HTML\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: 1\r\n\r\n")
	chunked.Compressed = false
	revisit := warctest.Page(3)
	revisit.Revisit = &capture.Refers{URL: "https://www.example.com/page/0?b=2&a=1", Date: warctest.Date}
	revisit.Truncated = "length"
	big := warctest.Page(4)
	big.Response = append(big.Response[:big.HeadLen:big.HeadLen], bytes.Repeat([]byte{0, 1, 2, 0xff}, 100_000)...)
	plain := big
	plain.Compressed = false
	lone := warctest.Page(6)
	lone.Request, lone.Metadata, lone.IP, lone.PayloadDigest = nil, nil, "", [20]byte{}
	cut := warctest.Page(7)
	cut.Truncated = "disconnect"
	robots := warctest.Page(8)
	robots.URL = "http://example.com:8080/robots.txt"
	robots.Response = []byte("HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\n\r\nnone")
	robots.HeadLen, robots.Status, robots.MIME, robots.Compressed = len(robots.Response)-4, 404, "text/plain", false
	headless := warctest.Page(9)
	headless.Response, headless.HeadLen, headless.Status, headless.MIME = []byte("garbage"), 7, 0, "unk"
	v6 := warctest.Page(10)
	v6.IP = "2001:db8::1"

	captures := []capture.Capture{warctest.Page(1), chunked, revisit, big, plain, lone, cut, robots, headless, v6}
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, Info: [][2]string{{"software", "forage/0.1.0"}}})
	var positions []capture.Position
	for _, c := range captures {
		positions = append(positions, warctest.Append(t, a, c))
	}
	for _, state := range []string{"open", "finished"} {
		t.Run(state, func(t *testing.T) {
			if state == "finished" {
				warctest.Close(t, a)
			}
			checkFiles(t, dir)
			stored := warctest.Captures(t, dir, capture.Position{})
			if len(stored) != len(captures) {
				t.Fatalf("Scan found %d captures, want %d", len(stored), len(captures))
			}
			for i, got := range stored {
				want := captures[i]
				want.Compressed = false
				if want.Revisit != nil {
					want.Response = want.Response[:want.HeadLen]
				}
				if got.Capture.Request == nil {
					got.Capture.Request = want.Request // empty or nil
				}
				if !reflect.DeepEqual(got.Capture, want) {
					t.Errorf("capture %d is\n%+v, want\n%+v", i, got.Capture, want)
				}
				if got.Position != positions[i] {
					t.Errorf("capture %d is at %+v, want %+v", i, got.Position, positions[i])
				}
				response, err := warcfile.ReadResponse(dir, positions[i])
				if err != nil || !bytes.Equal(response, want.Response) {
					t.Errorf("warcfile.ReadResponse(%+v) = %q, %v", positions[i], response, err)
				}
			}
		})
	}
}

func TestAppend_Injection(t *testing.T) {
	c := warctest.Page(1)
	c.URL = "https://example.com/a b\r\nWARC-Type: warcinfo\r\n\r\n\x00é\"\\<>"
	c.IP = "192.0.2.1\r\nX: y"
	c.MIME = "text/html\"}\n"
	c.Metadata = [][2]string{{"na me:\r\n", "one\r\ntwo: 2\n\x00"}}
	c.Revisit = &capture.Refers{URL: "http://x/\r\ny", Date: warctest.Date}
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, Info: [][2]string{{"soft\nware", "x\r\n\r\ny"}}})
	warctest.Append(t, a, c)
	warctest.Close(t, a)
	checkFiles(t, dir)
	got := warctest.Captures(t, dir, capture.Position{})[0]
	if want := "https://example.com/a%20b%0D%0AWARC-Type:%20warcinfo%0D%0A%0D%0A%00%C3%A9\"\\<>"; got.URL != want {
		t.Errorf("URL is %q, want %q", got.URL, want)
	}
	if got.IP != "" || got.Revisit.URL != "http://x/%0D%0Ay" {
		t.Errorf("IP is %q, refers to %q", got.IP, got.Revisit.URL)
	}
	if want := [][2]string{{"na-me---", "one  two: 2"}}; !reflect.DeepEqual(got.Metadata, want) {
		t.Errorf("metadata is %q, want %q", got.Metadata, want)
	}
}

func TestAppend_Refuses(t *testing.T) {
	a := mustOpen(t, Config{Dir: t.TempDir()})
	for name, change := range map[string]func(*capture.Capture){
		"no URL":         func(c *capture.Capture) { c.URL = "" },
		"long URL":       func(c *capture.Capture) { c.URL = strings.Repeat("x", capture.MaxURL+1) },
		"no response":    func(c *capture.Capture) { c.Response, c.HeadLen = nil, 0 },
		"long response":  func(c *capture.Capture) { c.Response = make([]byte, capture.MaxBlock+1) },
		"long request":   func(c *capture.Capture) { c.Request = make([]byte, capture.MaxBlock+1) },
		"long head":      func(c *capture.Capture) { c.HeadLen = len(c.Response) + 1 },
		"negative head":  func(c *capture.Capture) { c.HeadLen = -1 },
		"bare revisit":   func(c *capture.Capture) { c.Revisit, c.HeadLen = &capture.Refers{URL: "http://x/"}, 0 },
		"refers nowhere": func(c *capture.Capture) { c.Revisit = &capture.Refers{} },
		"truncated":      func(c *capture.Capture) { c.Truncated = "length\r\n" },
		"year":           func(c *capture.Capture) { c.Date = time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC) },
		"long metadata":  func(c *capture.Capture) { c.Metadata = [][2]string{{"a", strings.Repeat("x", capture.MaxMetadata)}} },
	} {
		c := warctest.Page(1)
		change(&c)
		if _, err := a.Append(c); !errors.Is(err, capture.ErrRefused) {
			t.Errorf("%s: Append returned %v, want ErrCapture", name, err)
		}
	}
	warctest.Close(t, a)
	if _, err := a.Append(warctest.Page(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close returned %v, want ErrClosed", err)
	}
	if n := warctest.DiskSize(t, a.config.Dir); n != 0 {
		t.Errorf("%d bytes on disk after no Append, want none", n)
	}
}

func TestAppend_LongestHeaderIsReadable(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	c := warctest.Page(1)
	c.URL = "http://x/" + strings.Repeat("\x01", capture.MaxURL-9)
	c.Revisit = &capture.Refers{URL: c.URL, Date: warctest.Date}
	warctest.Append(t, a, c)
	warctest.Close(t, a)
	checkFiles(t, dir)
	if got := warctest.Captures(t, dir, capture.Position{}); len(got) != 1 || len(got[0].URL) != 9+3*(capture.MaxURL-9) {
		t.Errorf("Scan found %d captures", len(got))
	}
	if err := exportedCDXJ(t, dir, &bytes.Buffer{}); err != nil {
		t.Errorf("ExportCDXJ: %v", err)
	}
}

func TestArchive_Rotates(t *testing.T) {
	dir := t.TempDir()
	const limit = 8 << 10
	a := mustOpen(t, Config{Dir: dir, MaxSize: limit})
	var want []string
	for n := range 50 {
		warctest.Append(t, a, warctest.Page(n))
		want = append(want, warctest.Page(n).URL)
	}
	huge := warctest.Page(99)
	huge.Response = append(huge.Response, make([]byte, limit)...)
	warctest.Append(t, a, huge)
	warctest.Append(t, a, warctest.Page(100))
	want = append(want, huge.URL, warctest.Page(100).URL)
	if got := a.Size(); got != warctest.DiskSize(t, dir) {
		t.Errorf("Size is %d, want %d", got, warctest.DiskSize(t, dir))
	}
	if err := a.Sync(); err != nil {
		t.Errorf("Sync: %v", err)
	}
	warctest.OnlyFile(t, dir, "*.open")
	warctest.Close(t, a)
	checkFiles(t, dir)
	if got := warctest.URLs(warctest.Captures(t, dir, capture.Position{})); !slices.Equal(got, want) {
		t.Errorf("Scan found %v, want %v", got, want)
	}
	files, _ := warcfile.List(dir)
	if len(files) < 4 {
		t.Errorf("%d files, want several", len(files))
	}
	over := 0
	for i, f := range files {
		if info, err := os.Stat(f.Path()); err != nil || info.Size() > limit {
			over++
		}
		if f.Unfinished || f.Serial != uint64(i+1) || f.Tag != files[0].Tag {
			t.Errorf("file %d is %+v", i, f)
		}
	}
	if over != 1 {
		t.Errorf("%d files are larger than %d, want the one with the huge capture", over, limit)
	}
}

func TestArchive_ContinuesInNewFile(t *testing.T) {
	dir := t.TempDir()
	clock := warctest.Date
	for n := range 3 {
		a := mustOpen(t, Config{Dir: dir, Now: func() time.Time { return clock }})
		warctest.Append(t, a, warctest.Page(n))
		warctest.Close(t, a)
		clock = clock.Add(-time.Hour) // names stay in order all the same
	}
	checkFiles(t, dir)
	if got, want := warctest.URLs(warctest.Captures(t, dir, capture.Position{})), []string{warctest.Page(0).URL, warctest.Page(1).URL, warctest.Page(2).URL}; !slices.Equal(got, want) {
		t.Errorf("Scan found %v, want %v", got, want)
	}
}

func TestArchive_LeavesForeignFiles(t *testing.T) {
	dir := t.TempDir()
	foreign := []string{
		"notes.txt", "forage.warc.gz", "forage-20260131120000-00001-1A2B3C4D.warc.gz",
		"forage-20260131120000-1-1a2b3c4d.warc.gz.open", "other-20260131120000-00001-1a2b3c4d.warc.gz.open",
		"forage-20260131120000-00001-1a2b3c4d.warc", "forage-20260131120000-000001-1a2b3c4d.warc.gz",
	}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := mustOpen(t, Config{Dir: dir})
	warctest.Append(t, a, warctest.Page(1))
	if len(a.Recovered()) != 0 {
		t.Errorf("recovered %+v, want nothing", a.Recovered())
	}
	warctest.Close(t, a)
	for _, name := range foreign {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != "x" {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
	if got := a.Size() + int64(len(foreign)); got != warctest.DiskSize(t, dir) {
		t.Errorf("Size and foreign files are %d, want %d", got, warctest.DiskSize(t, dir))
	}
}

func TestArchive_ConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, MaxSize: 16 << 10})
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				c := warctest.Page(w*each + i)
				p, err := a.Append(c)
				if err != nil {
					t.Errorf("Append: %v", err)
					return
				}
				got, err := warcfile.ReadResponse(dir, p)
				if err != nil || !bytes.Equal(got, c.Response) {
					t.Errorf("warcfile.ReadResponse(%+v): %v", p, err)
				}
				if i%5 == 0 {
					if err := a.Sync(); err != nil {
						t.Errorf("Sync: %v", err)
					}
				}
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			if err := warcfile.Scan(dir, capture.Position{}, func(capture.Stored) error { return nil }); err != nil {
				t.Errorf("Scan beside Append: %v", err)
			}
			if err := exportedCDXJ(t, dir, &bytes.Buffer{}); err != nil {
				t.Errorf("ExportCDXJ beside Append: %v", err)
			}
		}
	})
	wg.Wait()
	warctest.Close(t, a)
	checkFiles(t, dir)
	got := warctest.URLs(warctest.Captures(t, dir, capture.Position{}))
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != writers*each {
		t.Errorf("Scan found %d different captures, want %d", n, writers*each)
	}
	if a.Size() != warctest.DiskSize(t, dir) {
		t.Errorf("Size is %d, want %d", a.Size(), warctest.DiskSize(t, dir))
	}
}

func TestArchive_SyncErrorBeginsNewFile(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	warctest.Append(t, a, warctest.Page(1))
	a.current.warc.Close() // stands for a disk that fails
	if err := a.Sync(); err == nil {
		t.Fatal("Sync on a failed disk returned nil")
	}
	if err := a.Sync(); err == nil {
		t.Fatal("the second Sync did not tell that the file could not be finished")
	}
	if err := a.Sync(); err != nil {
		t.Fatalf("Sync of nothing new, after the loss was told: %v", err)
	}
	warctest.Append(t, a, warctest.Page(2))
	if err := a.Sync(); err != nil {
		t.Errorf("Sync of the new file: %v", err)
	}
	warctest.Close(t, a)
	b := mustOpen(t, Config{Dir: dir})
	if got := len(b.Recovered()); got != 1 {
		t.Errorf("recovered %d files, want 1", got)
	}
	if got, want := warctest.URLs(warctest.Captures(t, dir, capture.Position{})), []string{warctest.Page(1).URL, warctest.Page(2).URL}; !slices.Equal(got, want) {
		t.Errorf("Scan found %v, want %v", got, want)
	}
}

func TestArchive_RenameIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir, MaxSize: 1})
	p := warctest.Append(t, a, warctest.Page(1))
	inTheWay := filepath.Join(dir, p.File)
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	warctest.Append(t, a, warctest.Page(2))
	if err := a.Sync(); err != nil {
		t.Errorf("Sync: %v; a name is not needed to survive", err)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	warctest.Append(t, a, warctest.Page(3))
	warctest.OnlyFile(t, dir, "*.open")
	warctest.Close(t, a)
	checkFiles(t, dir)
	if got := len(warctest.Captures(t, dir, capture.Position{})); got != 3 {
		t.Errorf("Scan found %d captures, want 3", got)
	}
}

func TestArchive_WriteErrorLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, Config{Dir: dir})
	warctest.Append(t, a, warctest.Page(1))
	size := a.Size()
	a.current.index.Close() // the records go through, the index line does not
	if _, err := a.Append(warctest.Page(2)); err == nil {
		t.Fatal("Append without index returned nil")
	}
	if a.Size() != size || warctest.DiskSize(t, dir) != size {
		t.Errorf("Size is %d, disk %d, want %d", a.Size(), warctest.DiskSize(t, dir), size)
	}
	warctest.Append(t, a, warctest.Page(3))
	if got, want := warctest.URLs(warctest.Captures(t, dir, capture.Position{})), []string{warctest.Page(1).URL, warctest.Page(3).URL}; !slices.Equal(got, want) {
		t.Errorf("Scan found %v, want %v", got, want)
	}
	a.Close() // tells of the first file
}
