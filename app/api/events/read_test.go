package events

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/secret"
)

func TestReadStream(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Message
	}{
		{"retry: 5\n\nid: a-1\ndata: {}\n\n", []Message{{id: "a-1", Data: "{}"}}},
		{":\n\n: x\r\n\r\nevent: reset\r\nid: a-2\r\ndata:{\"x\": 1}\r\n\r\n",
			[]Message{{heartbeat: true}, {heartbeat: true}, {Event: "reset", id: "a-2", Data: `{"x": 1}`}}},
		{"id: a-1\ndata: cut", nil},
		{"data: a\ndata: b\n\n", nil},
		{"data: " + strings.Repeat("x", maxMessage) + "\n\n", nil},
	} {
		var got []Message
		err := Read(strings.NewReader(c.text), func(m Message) error {
			got = append(got, m)
			return nil
		})
		if err == nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("readStream(%.40q) = %+v, %v, want %+v and an error", c.text, got, err, c.want)
		}
	}
}

func FuzzReadStream(f *testing.F) {
	f.Add("retry: 5\n\nid: a-1\ndata: {\"id\":1}\n\n:\n\nevent: reset\ndata: {\"boot_id\":\"ab\",\"next\":3}\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		err := Read(strings.NewReader(text), func(m Message) error {
			page, err := m.Page()
			if err == nil && (!secret.IsHex(page.BootID) || len(page.Events) > 1) {
				t.Errorf("page of %+v is %+v", m, page)
			}
			if page, err := m.Shown(); err == nil && page != "" && !api.IsWindowPage(page) {
				t.Errorf("%+v is to show %q", m, page)
			}
			return nil
		})
		if err == nil {
			t.Error("no error at the end of a stream")
		}
	})
}

func TestMessage_Shown(t *testing.T) {
	for data, want := range map[string]string{`{"page":"about"}`: "about", `{"page":""}`: "", `{}`: "",
		`{"page":"later"}`: ""} {
		m := Message{Event: "window", Data: data}
		if got, err := m.Shown(); got != want || err != nil {
			t.Errorf("%s: %q, %v", data, got, err)
		}
	}
	m := Message{Event: "window", Data: "{"}
	if _, err := m.Shown(); err == nil || err == io.EOF {
		t.Errorf("half a message: %v", err)
	}
}
