package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

func (n *testNode) ExportName(_ context.Context, format string) (string, error) {
	switch format {
	case "small", "broken", "early", "slow", "empty":
		return "forage-" + format, nil
	}
	return "", &api.InputError{Err: errors.New("there is no such format")}
}

func (n *testNode) Export(ctx context.Context, format string, w io.Writer) error {
	switch format {
	case "small":
		_, err := io.WriteString(w, "all of it")
		return err
	case "broken":
		w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return errors.New("the disk is gone")
	case "early":
		return errors.New("the disk is gone")
	case "slow":
		n.called("slow began")
		<-ctx.Done()
		n.called("slow ended")
		return ctx.Err()
	}
	return nil
}

// fetchFile fetches a download as a browser does, which knows no token.
func (r *running) fetchFile(t testing.TB, path string) (*http.Response, string, error) {
	t.Helper()
	resp, err := http.Get("http://" + r.desc.Addr + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func TestServer_Export(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	issue := func(format string) string {
		ticket, err := c.Export(t.Context(), format)
		if err != nil || ticket.Name != "forage-"+format || len(ticket.URL) != len(downloadPath)+32 {
			t.Fatalf("ticket %+v, %v", ticket, err)
		}
		return ticket.URL
	}
	path := issue("small")
	resp, body, err := r.fetchFile(t, path)
	if resp.StatusCode != 200 || body != "all of it" || err != nil ||
		resp.Header.Get("Content-Disposition") != "attachment; filename=forage-small" {
		t.Errorf("download: %d %q %v %v", resp.StatusCode, body, resp.Header, err)
	}
	for _, again := range []string{path, path + "x", downloadPath, downloadPath + "..", strings.ToUpper(path[10:])} {
		if resp, _, _ := r.fetchFile(t, "/"+strings.TrimPrefix(again, "/")); resp.StatusCode == 200 {
			t.Errorf("%s was fetched", again)
		}
	}
	if resp, body, err := r.fetchFile(t, issue("broken")); err == nil || len(body) == 0 || resp.StatusCode != 200 {
		t.Errorf("half an export looks whole: %d, %d bytes", resp.StatusCode, len(body))
	}
	if resp, body, _ := r.fetchFile(t, issue("early")); resp.StatusCode != 500 ||
		body != `{"error":"the disk is gone"}`+"\n" {
		t.Errorf("an export that could not begin: %d %s", resp.StatusCode, body)
	}
	if resp, body, err := r.fetchFile(t, issue("empty")); resp.StatusCode != 200 || body != "" || err != nil {
		t.Errorf("an empty export: %d %q %v", resp.StatusCode, body, err)
	}
	if _, err := c.Export(t.Context(), "other"); err == nil || err.Error() != "there is no such format" {
		t.Errorf("a format that is none: %v", err)
	}
	// The ticket opens nothing to other sites.
	path = issue("small")
	for _, header := range []string{"Origin: http://evil.example", "Sec-Fetch-Site: cross-site"} {
		if resp, _ := r.raw(t, "GET "+path+" HTTP/1.1\nHost: HOST\n"+header+"\n\n"); resp.StatusCode != 403 {
			t.Errorf("%s: %d", header, resp.StatusCode)
		}
	}
	if resp, _ := r.raw(t, "GET "+path+" HTTP/1.1\nHost: evil.example\n\n"); resp.StatusCode != 421 {
		t.Errorf("another host: %d", resp.StatusCode)
	}
	if resp, _ := r.raw(t, "GET "+path+"?x=1 HTTP/1.1\nHost: HOST\n\n"); resp.StatusCode != 400 {
		t.Errorf("with a query: %d", resp.StatusCode)
	}
	var got bytes.Buffer
	if n, err := c.Download(t.Context(), api.ExportTicket{URL: path}, &got); err != nil || n != 9 {
		t.Errorf("Download = %d, %v", n, err)
	}
}

// One export goes on at a time; it ends when its reader leaves, and the next
// one's ticket is still good.
func TestServer_OneExportAtATime(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	slow, _ := c.Export(t.Context(), "slow")
	next, _ := c.Export(t.Context(), "small")
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		c.Download(ctx, slow, io.Discard)
	}()
	r.untilCalled("slow began")
	if resp, _, _ := r.fetchFile(t, next.URL); resp.StatusCode != 503 {
		t.Errorf("a second export: %d, want 503", resp.StatusCode)
	}
	leave()
	<-gone
	r.untilCalled("slow ended")
	for {
		resp, body, _ := r.fetchFile(t, next.URL)
		if resp.StatusCode == 200 && body == "all of it" {
			break
		}
		if resp.StatusCode != 503 { // the desk is cleared a moment later
			t.Fatalf("after the first: %d %s", resp.StatusCode, body)
		}
	}
}

// untilCalled waits until the node was told something.
func (r *running) untilCalled(what string) {
	for found := false; !found; time.Sleep(time.Millisecond) {
		r.node.mu.Lock()
		found = strings.Contains(strings.Join(r.node.calls, ", "), what)
		r.node.mu.Unlock()
	}
}

func TestTickets(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tickets := tickets{clock: func() time.Time { return now }}
	first := tickets.issue("a", "")
	now = now.Add(ticketTime - 1)
	if found, done, err := tickets.redeem(first); err != nil || found.format != "a" {
		t.Errorf("within its time: %v", err)
	} else {
		done()
	}
	late := tickets.issue("b", "")
	now = now.Add(ticketTime)
	if _, _, err := tickets.redeem(late); err == nil {
		t.Error("a ticket was good after its time")
	}
	old := tickets.issue("c", "")
	var last string
	for range maxTickets {
		last = tickets.issue("d", "")
	}
	if _, _, err := tickets.redeem(old); err == nil || len(tickets.open) != maxTickets {
		t.Errorf("%d tickets are open", len(tickets.open))
	}
	if _, _, err := tickets.redeem(last); err != nil {
		t.Error(err)
	}
}
