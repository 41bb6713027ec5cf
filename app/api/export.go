package api

import (
	"bufio"
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api/secret"
)

// Exporter is the part of a Node that writes out what was fetched.
type Exporter interface {
	// ExportName returns what the file of an export in a format is called. The
	// error is an *InputError if there is no such format or nothing to export.
	ExportName(ctx context.Context, format string) (string, error)
	// Export writes an export in a format, until ctx is done. It is called once
	// at a time; an error means that what was written is not whole.
	Export(ctx context.Context, format string, w io.Writer) error
}

// ExportTicket is the answer of POST /api/export.
type ExportTicket struct {
	// URL is where the export can be fetched once, within five minutes, without any header: a path on this server.
	URL string `json:"url"`
	// Name is what the file is called.
	Name string `json:"name"`
}

// exportRequest is the body of POST /api/export.
type exportRequest struct {
	Format string `json:"format"`
}

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

// export hands out a ticket.
func (s *Server) export(w http.ResponseWriter, r *http.Request) error {
	var body exportRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	name, err := ask(r, func(ctx context.Context) (string, error) { return s.node.ExportName(ctx, body.Format) })
	if err != nil {
		return err
	}
	return writeJSON(w, ExportTicket{URL: downloadPath + s.tickets.issue(body.Format, name), Name: name})
}

// download writes the export that a ticket is for. The ticket is the secret, so
// that a browser can fetch it as any file.
func (s *Server) download(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	t, done, err := s.tickets.redeem(strings.TrimPrefix(r.URL.Path, downloadPath))
	if err != nil {
		return err
	}
	defer done()
	d := &downloadWriter{w: w, rc: http.NewResponseController(w), name: t.name}
	d.rc.SetReadDeadline(time.Time{}) // the reader has nothing more to say; recorders have no deadlines
	out := bufio.NewWriterSize(d, 64<<10)
	if err = s.node.Export(r.Context(), t.format, out); err == nil {
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
	s.log.Warn("Export was not finished", "format", t.format, "error", err)
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
			return ticket{}, nil, refuse(http.StatusServiceUnavailable,
				"another export is under way; try again when it has ended")
		}
		t.open = append(t.open[:i:i], t.open[i+1:]...)
		t.busy = true
		return k, t.release, nil
	}
	return ticket{}, nil, refuse(http.StatusNotFound, "this download was fetched already, or is over: ask for another")
}

func (t *tickets) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy = false
}

// Export asks for an export in a format: warc, wacz, cdxj, links, pages, graph or stats.
func (c *Client) Export(ctx context.Context, format string) (ExportTicket, error) {
	return postAs[ExportTicket](ctx, c, "/api/export", exportRequest{Format: format})
}

// Download writes the export of a ticket to w, and returns how many bytes it has. It takes as long as the export does.
func (c *Client) Download(ctx context.Context, t ExportTicket, w io.Writer) (int64, error) {
	resp, err := c.send(ctx, c.descriptor(), http.MethodGet, t.URL, nil, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(w, resp.Body)
}
