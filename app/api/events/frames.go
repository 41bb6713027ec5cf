package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// keptFrames is how many events are kept as they are written: as many as a node keeps, so that a page of old ones
// is not encoded again either, a thousand of which take longer than any other answer.
const keptFrames = 4096

// Frames holds the latest events as streams of one language write them, so that each is
// encoded once, however many streams there are.
type Frames struct {
	boot, lang string

	mu   sync.Mutex
	kept []frame // by ID; nil before anybody reads in this language
}

// frame is one event as a message. Its text is never changed.
type frame struct {
	id   uint64
	text []byte
}

func newFrames(boot, lang string) *Frames { return &Frames{boot: boot, lang: lang} }

// AllFrames returns those of each language.
func AllFrames(boot string) map[string]*Frames {
	all := make(map[string]*Frames)
	for _, lang := range words.Languages() {
		all[lang] = newFrames(boot, lang)
	}
	return all
}

// write appends events of this boot to a buffer.
func (f *Frames) write(to *bytes.Buffer, events []api.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range events {
		text, err := f.text(&events[i])
		if err != nil {
			return err
		}
		to.Write(text)
	}
	return nil
}

// Page returns what json.Marshal makes of a page of this boot.
func (f *Frames) Page(p api.EventPage) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"boot_id":%q,"events":[`, f.boot) // a boot ID is hexadecimal
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range p.Events {
		text, err := f.text(&p.Events[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		_, data, _ := bytes.Cut(text, frameData)
		b.Write(bytes.TrimRight(data, "\n"))
	}
	fmt.Fprintf(&b, `],"next":%d,"dropped":%t}`, p.Next, p.Dropped)
	return b.Bytes(), nil
}

// frameData is what stands between the id of a message and its data.
var frameData = []byte("\ndata: ")

// text returns an event as a message. f.mu is held.
func (f *Frames) text(e *api.Event) ([]byte, error) {
	if f.kept == nil {
		f.kept = make([]frame, keptFrames)
	}
	slot := &f.kept[e.ID%keptFrames]
	if slot.id == e.ID && slot.text != nil {
		return slot.text, nil
	}
	said := *e
	said.In(f.lang)
	data, err := json.Marshal(&said) // one line, whatever is in it
	if err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, "id: %s%s%s\n\n", Cursor{f.boot, e.ID}, frameData, data)
	if e.ID > slot.id { // a stream that lags behind must not push out what all others want
		*slot = frame{e.ID, text}
	}
	return text, nil
}
