package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/forage-net/forage/app/api"
)

// Heartbeat is how often a stream with nothing to say shows that it lives.
const Heartbeat = 15 * time.Second

// Writer writes one stream.
type Writer struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	frames  *Frames
	timeout time.Duration
	buf     bytes.Buffer
}

// NewWriter returns one that waits for its reader no longer than timeout each time.
func NewWriter(w http.ResponseWriter, f *Frames, timeout time.Duration) *Writer {
	o := &Writer{w: w, rc: http.NewResponseController(w), frames: f, timeout: timeout}
	o.rc.SetReadDeadline(time.Time{}) // the reader has nothing more to say; recorders have no deadlines
	w.Header().Set("Content-Type", "text/event-stream")
	return o
}

// Begin puts how soon to come again into the buffer.
func (o *Writer) Begin() { o.buf.WriteString("retry: 2000\n\n") }

// Beat puts a sign of life into the buffer.
func (o *Writer) Beat() { o.buf.WriteString(":\n\n") }

// ResetNotice is the data of an event "reset": where the stream goes on.
type ResetNotice struct {
	BootID string `json:"boot_id"`
	Next   uint64 `json:"next"`
}

// WindowNotice is the data of an event "window": come to the front, and show a page.
type WindowNotice struct {
	// Page is "" for the one that is shown.
	Page string `json:"page"`
}

// page puts events into the buffer.
func (o *Writer) page(p api.EventPage) error {
	if p.Dropped {
		notice := ResetNotice{BootID: p.BootID, Next: p.Next}
		if len(p.Events) > 0 {
			notice.Next = p.Events[0].ID - 1
		}
		if err := o.event("reset", Cursor{p.BootID, notice.Next}, notice); err != nil {
			return err
		}
	}
	return o.frames.write(&o.buf, p.Events)
}

func (o *Writer) event(event string, id Cursor, data any) error {
	text, err := json.Marshal(data) // one line, whatever is in it
	if err != nil {
		return err
	}
	fmt.Fprintf(&o.buf, "event: %s\nid: %s\ndata: %s\n\n", event, id, text)
	return nil
}

// window writes an order as an event, which has no place among those of the node and therefore no ID.
func (o *Writer) window(page string) error {
	text, err := json.Marshal(WindowNotice{page})
	if err != nil {
		return err
	}
	fmt.Fprintf(&o.buf, "event: window\ndata: %s\n\n", text)
	return nil
}

// flush sends the buffer, and waits for the reader no longer than timeout.
func (o *Writer) flush() error {
	if o.buf.Len() == 0 {
		return nil
	}
	o.rc.SetWriteDeadline(time.Now().Add(o.timeout))
	if _, err := o.w.Write(o.buf.Bytes()); err != nil {
		return err
	}
	o.buf.Reset()
	return o.rc.Flush()
}

// Send sends events, and to a window what it is to show.
func (o *Writer) Send(p api.EventPage, win *OpenWindow) error {
	if err := o.page(p); err != nil {
		return err
	}
	order := win.take()
	if order != nil {
		if err := o.window(order.page); err != nil {
			return err
		}
	}
	if err := o.flush(); err != nil {
		return err
	}
	if order != nil {
		close(order.sent)
	}
	return nil
}
