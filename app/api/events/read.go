package events

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
)

// maxMessage is the longest message of a stream, in bytes.
const maxMessage = 256 << 10

// Message is one server-sent event, or a comment, which is a heartbeat.
type Message struct {
	Event, id, Data string
	heartbeat       bool
}

// Read calls fn with the messages of a stream until it ends or fn fails.
func Read(r io.Reader, fn func(Message) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxMessage)
	var m Message
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if m.heartbeat || m.Data != "" {
				if err := fn(m); err != nil {
					return err
				}
			}
			m = Message{}
		case field == "":
			m.heartbeat = true
		case field == "event":
			m.Event = value
		case field == "id":
			m.id = value
		case field == "data" && m.Data != "":
			return errors.New("read event stream: a message of several lines")
		case field == "data":
			m.Data = value
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read event stream: %w", err)
	}
	return fmt.Errorf("read event stream: %w", io.ErrUnexpectedEOF)
}

// Page returns what a message with data says.
func (m Message) Page() (api.EventPage, error) {
	switch m.Event {
	case "reset":
		var notice ResetNotice
		if err := json.Unmarshal([]byte(m.Data), &notice); err != nil {
			return api.EventPage{}, err
		}
		if !descriptor.IsBootID(notice.BootID) {
			return api.EventPage{}, errors.New("a boot ID that is none")
		}
		return api.EventPage{BootID: notice.BootID, Next: notice.Next, Dropped: true}, nil
	case "":
		at, ok := ParseCursor(m.id)
		if !ok {
			return api.EventPage{}, errors.New("an event without its place")
		}
		var e api.Event
		if err := json.Unmarshal([]byte(m.Data), &e); err != nil {
			return api.EventPage{}, err
		}
		return api.EventPage{BootID: at.Boot, Events: []api.Event{e}, Next: at.Since}, nil
	}
	return api.EventPage{}, fmt.Errorf("an unknown event %.40q", m.Event)
}

// Shown reads the data of an event "window".
func (m Message) Shown() (page string, err error) {
	var notice WindowNotice
	if err := json.Unmarshal([]byte(m.Data), &notice); err != nil {
		return "", err
	}
	if notice.Page != "" && !api.IsWindowPage(notice.Page) {
		return "", nil // of a later version: to the front at least
	}
	return notice.Page, nil
}
