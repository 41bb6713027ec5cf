package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api/conns"
)

// open opens a stream and returns its lines, each awaited by the caller.
func (r *running) open(t *testing.T, query, lastID string) (*bufio.Reader, func()) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+r.desc.Addr+"/api/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.desc.Token)
	req.Header.Set("Accept", "text/html;q=0.5, text/event-stream")
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	client := &http.Client{Transport: &http.Transport{}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("stream: %s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	shut := func() {
		resp.Body.Close()
		client.CloseIdleConnections()
	}
	t.Cleanup(shut)
	return bufio.NewReader(resp.Body), shut
}

// ids reads messages until n had an id, and returns these ids, those of resets marked.
func ids(t *testing.T, r *bufio.Reader, n int) []string {
	t.Helper()
	var got []string
	event := ""
	for len(got) < n {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			event = name + " "
		}
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			got = append(got, event+id)
			event = ""
		}
	}
	return got
}

func TestStream_Resumes(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	boot := r.desc.BootID
	r.node.keep = 5
	r.node.publish(8) // 4 to 8 are kept
	for _, c := range []struct {
		query, lastID string
		want          []string
	}{
		{"?since=5", "", []string{"-6", "-7", "-8"}},
		{"?boot=" + boot + "&since=6", "", []string{"-7", "-8"}},
		{"?since=4", boot + "-7", []string{"-8"}},
		{"", "", []string{"reset -3", "-4", "-5"}},
		{"?since=2", "", []string{"reset -3", "-4"}},
		{"?since=3", "", []string{"-4"}},
		{"?boot=abc&since=5", "", []string{"reset -8"}},
		{"?since=5", "abc-5", []string{"reset -8"}},
	} {
		lines, shut := r.open(t, c.query, c.lastID)
		got := ids(t, lines, len(c.want))
		for i := range got {
			got[i] = strings.Replace(got[i], boot, "", 1)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q from %q: %v, want %v", c.query, c.lastID, got, c.want)
		}
		shut()
	}
	lines, _ := r.open(t, "", boot+"-8")
	for i := range 3 {
		r.node.publish(1)
		if got, want := ids(t, lines, 1)[0], fmt.Sprintf("%s-%d", boot, 9+i); got != want {
			t.Errorf("next event %s, want %s", got, want)
		}
	}
	resp, _ := r.raw(t, "GET /api/events HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nAccept: "+
		"text/event-stream\nLast-Event-ID: x\n\n")
	if resp.StatusCode != 400 {
		t.Errorf("a wrong Last-Event-ID: %d, want 400", resp.StatusCode)
	}
}

func TestStream_Heartbeat(t *testing.T) {
	r := start(t, t.TempDir(), func(s *Server) { s.heartbeat = time.Millisecond })
	lines, _ := r.open(t, "", "")
	for beats := 0; beats < 3; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == ":\n" {
			beats++
		}
	}
	r.node.publish(1)
	ids(t, lines, 1)
}

func TestStream_Limit(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	var shut func()
	for range maxStreams {
		_, shut = r.open(t, "", "")
	}
	const request = "GET /api/events HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nAccept: text/event-stream\n\n"
	if resp, _ := r.raw(t, request); resp.StatusCode != 503 {
		t.Errorf("one stream too many: %d, want 503", resp.StatusCode)
	}
	if resp, _ := r.raw(t, get+"Host: HOST\n\n"); resp.StatusCode != 200 {
		t.Errorf("status beside streams: %d, want 200", resp.StatusCode)
	}
	shut()
	r.server.streams <- struct{}{} // comes free when the server has noticed
	<-r.server.streams
	r.open(t, "", "")
}

// A reader that does not read is cut off, and the node does not notice.
func TestStream_SlowReaderIsCutOff(t *testing.T) {
	log := newNotes()
	r := start(t, t.TempDir(), func(s *Server) {
		s.streamTimeout = 10 * time.Millisecond
		s.log = slog.New(log)
	})
	r.node.keep = 1 << 20
	r.node.publish(1 << 17) // more than both ends' buffers hold
	conn, err := net.Dial("tcp", r.desc.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// On a busy computer it is cut off before the answer has begun.
	fmt.Fprintf(conn, "GET /api/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: "+
		"text/event-stream\r\n\r\n", r.desc.Addr, r.desc.Token)
	if got := <-log.said; got != "Event stream broke" {
		t.Errorf("log says %q", got)
	}
	r.node.publish(1)
}

// Who reads an open stream more slowly than things happen skips what is no longer kept, and is told so in the
// stream.
func TestStream_SlowReaderSkipsAndIsTold(t *testing.T) {
	served(t, func(t *testing.T, s *Server, ln *pipes) {
		node := s.node.(*testNode)
		node.keep = 5
		conn := ln.dial()
		defer conn.Close()
		go io.WriteString(conn,
			"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:7707\r\nAuthorization: Bearer t\r\nAccept: "+
				"text/event-stream\r\n\r\n")
		node.publish(1)
		lines := bufio.NewReader(conn)
		if got := ids(t, lines, 1); got[0] != "ab-1" {
			t.Fatalf("it begins with %v", got)
		}
		for range 20 { // a pipe takes nothing that is not read
			node.publish(1)
			time.Sleep(streamTimeout / 40)
		}
		var got []string
		for len(got) == 0 || got[len(got)-1] != "ab-21" {
			got = append(got, ids(t, lines, 1)...)
		}
		reset := slices.IndexFunc(got, func(id string) bool { return strings.HasPrefix(id, "reset ") })
		if reset < 0 {
			t.Fatalf("nothing says that some are missing: %v", got)
		}
		if want := []string{"reset ab-16", "ab-17", "ab-18", "ab-19", "ab-20", "ab-21"}; !slices.Equal(got[reset:],
			want) {
			t.Errorf("from the gap on it says %v, want %v", got[reset:], want)
		}
	})
}

func TestServe_EndsStreams(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	lines, _ := r.open(t, "", "")
	r.stop()
	for {
		if _, err := lines.ReadString('\n'); err != nil {
			break
		}
	}
}

// strange is a listener on an address others could reach.
type strange struct{ net.Listener }

func (strange) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

func TestServe_RefusesOtherAddresses(t *testing.T) {
	ln, err := conns.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := New(Config{Node: newTestNode("")}).Serve(context.Background(), strange{ln}); err == nil {
		t.Error("Serve on 192.0.2.1 succeeded")
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is not closed: %v", err)
	}
}

// The server as a whole keeps to its limit: beside callers who are known, as many as there may be, others are
// turned away.
func TestServe_LimitsConnections(t *testing.T) {
	r := start(t, t.TempDir(), func(s *Server) { s.conns = 1 })
	lines, shut := r.open(t, "", "")
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	second, err := net.Dial("tcp", r.desc.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	io.WriteString(second, "GET /healthz HTTP/1.1\r\nHost: "+r.desc.Addr+"\r\n\r\n")
	if resp, err := http.ReadResponse(bufio.NewReader(second), nil); err == nil {
		t.Errorf("a second connection was answered beside the first: %d", resp.StatusCode)
	}
	r.node.publish(1)
	ids(t, lines, 1) // the first goes on
	shut()
}

// What happened last is told although the server stops meanwhile: that the node ends, say.
func TestStream_TellsTheEnd(t *testing.T) {
	r := start(t, t.TempDir(), func(s *Server) { s.streamPause = time.Hour })
	lines, shut := r.open(t, "", "")
	defer shut()
	r.node.publish(1)
	ids(t, lines, 1) // from here on it gathers
	r.node.publish(2)
	r.stop()
	ids(t, lines, 1)
	if line, err := lines.ReadString(0); err == nil {
		t.Errorf("the stream goes on with %q", line)
	}
}
