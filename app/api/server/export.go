package server

import (
	"bufio"
	"context"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/secret"
)

const (
	// downloadPath is what the paths of downloads begin with.
	downloadPath = "/download/"
	// ticketTime is how long a ticket is good: a click comes at once, and a download manager asks later.
	ticketTime = 5 * time.Minute
	// maxTickets is how many are kept; the oldest go.
	maxTickets = 16
	// downloadTimeout is how long a download waits for its reader.
	downloadTimeout = 30 * time.Second
)

// exports hands out what was fetched, as files.
type exports struct {
	node    api.Exporter
	tickets *tickets
	log     *slog.Logger
}

// export hands out a ticket.
func (x *exports) export(w http.ResponseWriter, r *http.Request) error {
	var body api.ExportRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	name, err := ask(r, func(ctx context.Context) (string, error) { return x.node.ExportName(ctx, body.Format) })
	if err != nil {
		return err
	}
	return writeJSON(w, api.ExportTicket{URL: downloadPath + x.tickets.issue(body.Format, name), Name: name})
}

// download writes the export that a ticket is for. The ticket is the secret, so
// that a browser can fetch it as any file.
func (x *exports) download(w http.ResponseWriter, r *http.Request) error {
	if err := query(r).err; err != nil {
		return err
	}
	t, done, err := x.tickets.redeem(strings.TrimPrefix(r.URL.Path, downloadPath))
	if err != nil {
		return err
	}
	defer done()
	d := &downloadWriter{w: w, rc: http.NewResponseController(w), name: t.name}
	d.rc.SetReadDeadline(time.Time{}) // the reader has nothing more to say; recorders have no deadlines
	out := bufio.NewWriterSize(d, 64<<10)
	if err = x.node.Export(r.Context(), t.format, out); err == nil {
		err = out.Flush()
	}
	if err == nil {
		d.begin() // an export may be empty
		return nil
	}
	if !d.begun {
		return err
	}
	// Half a file must not look whole: what would end the answer is not written.
	x.log.Warn("Export was not finished", "format", t.format, "error", err)
	d.rc.SetWriteDeadline(time.Unix(1, 0))
	return nil
}

// downloadWriter writes an answer that is a file. Its head is written with the
// first bytes, so that what goes wrong before them can still be told.
type downloadWriter struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	name  string
	begun bool
}

func (d *downloadWriter) begin() {
	if d.begun {
		return
	}
	d.begun = true
	h := d.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.name}))
	h.Set("Connection", "close")
	d.w.WriteHeader(http.StatusOK)
}

func (d *downloadWriter) Write(p []byte) (int, error) {
	d.begin()
	d.rc.SetWriteDeadline(time.Now().Add(downloadTimeout))
	return d.w.Write(p)
}

// tickets are the downloads that were allowed. The zero value has none.
type tickets struct {
	mu    sync.Mutex
	open  []ticket         // oldest first
	busy  bool             // a download is under way
	clock func() time.Time // nil means time.Now
}

type ticket struct {
	key          secret.Digest
	format, name string
	until        time.Time
}

func (t *tickets) now() time.Time {
	if t.clock != nil {
		return t.clock()
	}
	return time.Now()
}

// issue makes a ticket of 128 random bits.
func (t *tickets) issue(format, name string) string {
	text := secret.New(16)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) == maxTickets {
		t.open = t.open[1:]
	}
	t.open = append(t.open, ticket{secret.Of(text), format, name, t.now().Add(ticketTime)})
	return text
}

// redeem takes a ticket in. One download at a time goes on, until done is
// called; a ticket that has to wait for that stays good.
func (t *tickets) redeem(text string) (found ticket, done func(), err error) {
	key := secret.Of(text)
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range t.open {
		if k.key != key || !t.now().Before(k.until) {
			continue
		}
		if t.busy {
			return ticket{}, nil, refuse(http.StatusServiceUnavailable, "said.api.another-export-is-under-way-try", nil)
		}
		t.open = append(t.open[:i:i], t.open[i+1:]...)
		t.busy = true
		return k, t.release, nil
	}
	return ticket{}, nil, refuse(http.StatusNotFound, "said.api.this-download-was-fetched-already-or", nil)
}

func (t *tickets) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy = false
}
