//go:build unix

package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage"
	warcrecord "github.com/forage-net/forage/storage/warc/record"
)

// record is a record of an archive that was read to its end.
type record struct {
	kind, url  string
	date       time.Time
	status     int       // of a response or revisit
	refersTo   string    // of a revisit: URL and date of the first capture
	refersDate time.Time // zero if there is none
	file       string
	offset     int64
}

// readArchive reads all files of a directory to the last byte and returns
// their records in the order of writing. What is damaged, or was left behind
// by a process that died, fails the test.
func readArchive(t *testing.T, dir string) []record {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var records []record
	for _, e := range entries {
		switch {
		case strings.HasSuffix(e.Name(), ".warc.gz"):
			records = append(records, readWARC(t, filepath.Join(dir, e.Name()))...)
		case !strings.HasSuffix(e.Name(), ".cdxj"):
			t.Errorf("%s was left in the archive", e.Name())
		}
	}
	return records
}

func readWARC(t *testing.T, path string) []record {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var records []record
	for r := warcrecord.NewReader(f); ; {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		records = append(records, readRecord(t, path, rec))
	}
	if len(records) == 0 || records[0].kind != "warcinfo" {
		t.Errorf("%s does not begin with a warcinfo record", path)
	}
	return records
}

// readRecord reads a record and makes sure that its block is what was written.
func readRecord(t *testing.T, path string, rec *warcrecord.Record) record {
	t.Helper()
	out := record{
		kind: rec.Type, url: rec.Header.URI(), refersTo: rec.Header.Get("WARC-Refers-To-Target-URI"), file: filepath.Base(path),
		offset: rec.Offset,
	}
	for field, date := range map[string]*time.Time{"WARC-Date": &out.date, "WARC-Refers-To-Date": &out.refersDate} {
		value := rec.Header.Get(field)
		if value == "" && rec.Type != "revisit" && field != "WARC-Date" {
			continue
		}
		var err error
		if *date, err = time.Parse(time.RFC3339, value); err != nil {
			t.Errorf("%s at %d: %s: %v", path, rec.Offset, field, err)
		}
	}
	sum := sha1.New()
	block := bufio.NewReader(io.TeeReader(rec.Body, sum))
	if rec.Type == "response" || rec.Type == "revisit" {
		answer, err := http.ReadResponse(block, nil)
		if err != nil {
			t.Fatalf("%s at %d: %v", path, rec.Offset, err)
		}
		out.status = answer.StatusCode
	}
	if _, err := io.Copy(io.Discard, block); err != nil {
		t.Fatalf("%s at %d: %v", path, rec.Offset, err)
	}
	digest := "sha1:" + base32.StdEncoding.EncodeToString(sum.Sum(nil))
	if want := rec.Header.Get("WARC-Block-Digest"); want != digest {
		t.Errorf("%s at %d: the block has the digest %s, its header says %s", path, rec.Offset, digest, want)
	}
	return out
}

// captures returns the responses and revisits of an archive, robots.txt and
// what stands for it left out, by URL.
func captures(records []record) map[string][]record {
	m := make(map[string][]record)
	for _, r := range records {
		if (r.kind == "response" || r.kind == "revisit") && !isRobots(r.url) {
			m[r.url] = append(m[r.url], r)
		}
	}
	return m
}

// matchVisits fails the test unless the archive has a capture for every
// answer that was of use, and no page twice.
func matchVisits(t *testing.T, records []record, v visits) {
	t.Helper()
	few := complaints{t: t}
	archived := captures(records)
	for url, hits := range v.pages().byURL() {
		last := hits[len(hits)-1].Status
		if !slices.ContainsFunc(archived[url], func(r record) bool { return r.status == last }) {
			few.errorf("%s answered %d and is not in the archive", url, last)
		}
	}
	for url, list := range archived {
		good := 0
		for _, r := range list {
			if r.status < 500 {
				good++
			}
		}
		if good > 1 {
			few.errorf("%s is %d times in the archive: %+v", url, good, list)
		}
	}
}

// checkStore opens the store of a node that has ended and returns the totals
// of its frontier, whose invariants must hold.
func checkStore(t *testing.T, home string) frontier.Totals {
	t.Helper()
	var db *storage.DB
	until(t, "the store to be free", func() (ok bool) {
		var err error
		db, err = storage.Open(config.Paths{State: filepath.Join(home, "state")}.Store(), storage.Options{})
		if err != nil && !errors.Is(err, storage.ErrLocked) {
			t.Fatal(err)
		}
		return err == nil
	})
	defer db.Close()
	totals, err := doctor.CheckFrontier(db)
	if err != nil {
		t.Errorf("the frontier contradicts itself: %v", err)
	}
	return totals
}
