package ledger

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/lookup"
	"github.com/forage-net/forage/storage/warc/record"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

const (
	// importBatch is how many captures are brought to the disk together.
	importBatch = 500
	// maxPackage bounds the list of files in a package, in bytes, and maxPackaged the files.
	maxPackage  = 16 << 20
	maxPackaged = 10_000
)

// Imported is what an import has done with the captures of files.
type Imported struct {
	// Captures are those that were taken in, Duplicates those of them whose payload was there already.
	Captures   int `json:"captures"`
	Duplicates int `json:"duplicates"`
	// Known were in the archive already, LeftOut ask not to be kept or are of sites that the user does not want, and
	// Damaged cannot be read, do not agree with their digests, or refer to a payload that is nowhere.
	Known   int `json:"known"`
	LeftOut int `json:"left_out"`
	Damaged int `json:"damaged"`
}

// Import takes the captures of a WARC file or a WACZ package into the archive of a node, which must not run. They are
// verified and deduplicated; what asks not to be archived, or is never visited, is left out. They go into no queue
// and no statistics; the search index takes them in at the next start. What was taken in before an error stays, and a
// second call leaves it out.
func Import(ctx context.Context, paths config.Paths, file string) (done Imported, err error) {
	cfg, err := config.Load(paths.Config)
	if err != nil {
		return done, err
	}
	db, err := storage.Open(paths.Store(), storage.Options{}) // a running node holds it
	if err != nil {
		return done, err
	}
	x := &importer{paths: paths, cfg: cfg, db: db, wanted: make(map[[8]byte]bool), batch: make(map[digest]place)}
	err = x.run(ctx, file)
	return x.done, errors.Join(err, db.Close())
}

// importer is one import. It needs some 50 bytes for each capture of the file.
type importer struct {
	paths config.Paths
	cfg   config.Config
	db    *storage.DB
	done  Imported

	never   *scope.Refusals
	files   *warc.Archive
	digests *digests
	wanted  map[[8]byte]bool // captures that are not in the archive yet
	fresh   []firstCapture   // of this batch
	batch   map[digest]place
	pending int
	meter   *progress.Meter
}

func (x *importer) run(ctx context.Context, file string) (err error) {
	if x.never, err = never.RefusalsOf(x.cfg, false); err != nil {
		return err
	}
	if x.digests, err = openDigests(x.db, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if x.files, err = warc.Open(warc.Config{Dir: x.paths.WARC(),
		Info: ArchiveInfo(false, x.cfg.Net.Name)}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.commit(), x.files.Close()) }()
	if err := x.roomLeft(); err != nil {
		return err
	}
	x.meter = progress.Begin(ctx, words.New("said.cli.work-importing", nil), 2*SizeOfFile(file), progress.Bytes)
	// What is there already is known before anything is taken in, however often a file has a capture.
	err = x.each(ctx, file, func(c *capture.Foreign) error { x.wanted[importKey(c)] = true; return nil })
	if err != nil && !isDamage(err) {
		return err
	}
	err = lookup.Each(x.paths.WARC(), func(url string, unix int64) error {
		delete(x.wanted, indexKey(url, unix))
		return nil
	})
	if err != nil {
		return err
	}
	err = x.each(ctx, file, x.take)
	if isDamage(err) {
		err = fmt.Errorf("%s is damaged; what could be read of it was taken in: %w", file, err)
	}
	return err
}

func isDamage(err error) bool {
	return errors.Is(err, record.ErrTorn) || errors.Is(err, record.ErrFormat)
}

// importKey tells captures apart as index lines do: by address, as it is spelled here, and second.
func importKey(c *capture.Foreign) [8]byte {
	url := c.URL
	if u, err := crawl.ParseURL(url); err == nil {
		url = u.String()
	}
	return indexKey(url, c.Date.Unix())
}

func indexKey(url string, unix int64) [8]byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", unix, url))
	return [8]byte(sum[:])
}

// roomLeft returns an error if no more may be stored.
func (x *importer) roomLeft() error {
	disk, err := LookAtDisk(x.paths, x.cfg.Limits.Disk)
	if err == nil && disk.Full != "" {
		err = errors.New(strings.TrimSuffix(disk.Full, "."))
	}
	return err
}

// take takes one capture in.
func (x *importer) take(c *capture.Foreign) error {
	u, err := crawl.ParseURL(c.URL)
	if err != nil || c.Damaged || c.TooLong || c.Date.IsZero() {
		x.done.Damaged++
		return nil
	}
	key := importKey(c)
	if !x.wanted[key] {
		x.done.Known++
		return nil
	}
	delete(x.wanted, key)
	if x.never.Reason(u) != nil {
		x.done.LeftOut++
		return nil
	}
	raw := c.Response
	if c.Revisit != nil && !c.Revisit.NotModified {
		raw, err = x.wholeOf(u, c)
	} else if _, known := x.first(c.PayloadDigest); c.Revisit != nil && !known {
		err = lookup.ErrNoCapture
	}
	if err != nil {
		x.done.Damaged++
		return nil
	}
	r, err := fetch.ParseResponse(u, raw)
	if err != nil {
		x.done.Damaged++
		return nil
	}
	defer r.Release()
	r.Started = c.Date
	return x.append(r, c)
}

// wholeOf returns the response that a revisit stands for.
func (x *importer) wholeOf(u crawl.URL, c *capture.Foreign) ([]byte, error) {
	first, ok := x.first(c.PayloadDigest)
	if !ok {
		return nil, lookup.ErrNoCapture
	}
	original, err := warcfile.ReadResponse(x.paths.WARC(), first.Position)
	if err != nil {
		return nil, err
	}
	return WithBody(u, c.Response[:c.HeadLen], original)
}

// first returns the first capture of a payload, which may be of this batch.
func (x *importer) first(sum digest) (capture.Stored, bool) {
	at, ok := x.batch[sum]
	if !ok {
		at, ok = x.digests.get(sum)
	}
	if !ok {
		return capture.Stored{}, false
	}
	return at.read(x.files, sum)
}

// append writes a capture, unless it asks not to be kept.
func (x *importer) append(r *fetch.Response, from *capture.Foreign) error {
	_, page := answer.Read(crawl.Task{URL: r.URL}, r, everywhere(), r.Started, nil)
	if page.NoArchive {
		x.done.LeftOut++
		return nil
	}
	c := captureOf(r)
	c.IP, c.Request, c.NoIndex, c.PayloadDigest = from.IP, from.Request, page.NoIndex || from.NoIndex, r.Digest()
	if from.Truncated != "" {
		c.Truncated = from.Truncated
	}
	notModified := from.Revisit != nil && from.Revisit.NotModified
	if notModified {
		c.PayloadDigest = from.PayloadDigest
	}
	c.Metadata = [][2]string{{FieldSettled, "yes"}}
	for _, f := range [][2]string{{"title", page.Title}, {"language", page.Language}, {"charset", page.Charset}} {
		if f[1] != "" {
			c.Metadata = append(c.Metadata, f)
		}
	}
	payload := len(r.Payload) > 0 && c.Truncated == ""
	if first, ok := x.first(c.PayloadDigest); ok && (payload || notModified) {
		c.Revisit = &capture.Refers{URL: first.URL, Date: first.Date, NotModified: notModified}
		c.NoIndex = c.NoIndex || notModified && first.NoIndex
		x.done.Duplicates++
	}
	pos, err := x.files.Append(c)
	if errors.Is(err, capture.ErrRefused) {
		x.done.Damaged++
		return nil
	}
	if err != nil {
		return err
	}
	x.done.Captures++
	if c.Revisit == nil && payload {
		at := place{pos.File, pos.RecordOffset}
		x.batch[c.PayloadDigest] = at
		x.fresh = append(x.fresh, firstCapture{Digest: c.PayloadDigest, At: at})
	}
	if x.pending++; x.pending < importBatch {
		return nil
	}
	if err := x.commit(); err != nil {
		return err
	}
	return x.roomLeft()
}

// commit brings to the disk what was taken in, then notes its payloads.
func (x *importer) commit() error {
	if x.pending == 0 {
		return nil
	}
	if err := x.files.Sync(); err != nil {
		return err
	}
	err := x.db.Update(func(tx *storage.Tx) error { return x.digests.add(tx, x.fresh) })
	x.pending, x.fresh = 0, nil
	clear(x.batch)
	return err
}

// everywhere is a scope that nothing is out of.
var everywhere = sync.OnceValue(func() *scope.Scope {
	s, err := scope.New(scope.Config{Depth: crawl.MaxDepth, Everywhere: true})
	if err != nil {
		panic(err) // a constant that is wrong
	}
	return s
})

// each calls fn with the captures of a WARC file, or of all in a package.
func (x *importer) each(ctx context.Context, file string, fn func(*capture.Foreign) error) error {
	info, err := os.Stat(file) // before Open, which waits for a pipe's writer
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	read := func(r io.Reader) error {
		return capture.ReadForeign(r, func(c *capture.Foreign) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(c)
		})
	}
	var begin [4]byte
	if n, _ := f.ReadAt(begin[:], 0); n == len(begin) && string(begin[:]) == "PK\x03\x04" {
		return x.eachPackaged(f, info.Size(), read)
	}
	return read(x.meter.Reader(f))
}

// eachPackaged reads the WARC files of a package, and compares them with the digests that it states.
func (x *importer) eachPackaged(f *os.File, size int64, read func(io.Reader) error) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	if len(z.File) > maxPackaged {
		return fmt.Errorf("%s has more than %d files", f.Name(), maxPackaged)
	}
	stated, err := statedDigests(z)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	for _, part := range z.File {
		name := path.Clean(part.Name)
		if !strings.HasPrefix(name, "archive/") || !strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".warc") {
			continue
		}
		if err := x.onePackaged(part, stated[name], read); err != nil {
			return fmt.Errorf("%s in %s: %w", name, f.Name(), err)
		}
	}
	return nil
}

func (x *importer) onePackaged(part *zip.File, stated string, read func(io.Reader) error) error {
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	all := x.meter.Reader(io.TeeReader(r, sum))
	if err := read(all); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return err
	}
	if is := "sha256:" + hex.EncodeToString(sum.Sum(nil)); stated != "" && is != stated {
		return errors.New("it does not have the digest that the package states")
	}
	return nil
}

// statedDigests returns what datapackage.json says of files, by their names. A package without it states none.
func statedDigests(z *zip.Reader) (map[string]string, error) {
	f, err := z.Open("datapackage.json")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPackage+1))
	if err == nil && len(text) > maxPackage {
		err = fmt.Errorf("datapackage.json is larger than %d bytes", maxPackage)
	}
	if err != nil {
		return nil, err
	}
	var list struct {
		Resources []struct {
			Path string `json:"path"`
			Hash string `json:"hash"`
		} `json:"resources"`
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&list); err != nil {
		return nil, fmt.Errorf("datapackage.json: %w", err)
	}
	stated := make(map[string]string, len(list.Resources))
	for _, r := range list.Resources {
		if strings.HasPrefix(r.Hash, "sha256:") {
			stated[path.Clean(r.Path)] = r.Hash
		}
	}
	return stated, nil
}
