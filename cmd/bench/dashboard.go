package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
)

// dashboard asks a node for what a browser asks that shows the first page: what ui/web/src/live.ts,
// pages/now.tsx and ring/data.ts say.
type dashboard struct {
	base, cookie, proof string
	client              *http.Client
	calls               atomic.Int64
	streamed            atomic.Int64 // bytes
}

// dashboardPolls are the calls of the page that shows what happens now.
var dashboardPolls = []struct {
	path  string
	every time.Duration
}{
	{"/api/status?lang=en", 2 * time.Second},
	{"/api/limits?lang=en", 4 * time.Second},
	{"/api/visits?limit=6", 2 * time.Second},
	{"/api/limits/history?lang=en&step=15", 30 * time.Second},
	{"/api/stats/series?unit=day&limit=1", 10 * time.Second},
}

const (
	ringEvery = 20 * time.Second
	ringSoon  = 2 * time.Second // after what tells that it changed
	// maxDashboardAnswer bounds what is read of an answer, in bytes.
	maxDashboardAnswer = 16 << 20
)

// ringTelling are events after which a page asks for the ring soon.
var ringTelling = [][]byte{[]byte(`"code":"swarm"`), []byte(`"code":"domain-came"`), []byte(`"code":"domain-left"`), []byte(`"code":"state"`)}

// openDashboard begins a session as a browser does, with a one-time link. A node lets few begin in a minute.
func openDashboard(ctx context.Context, d descriptor.Descriptor) (*dashboard, error) {
	b := &dashboard{base: "http://" + d.Addr, client: newBrowser()}
	var link api.Link
	if _, err := b.post(ctx, "/api/link", "{}", http.Header{"Authorization": {"Bearer " + d.Token}}, &link); err != nil {
		return nil, err
	}
	at, err := url.Parse(link.URL)
	if err != nil {
		return nil, fmt.Errorf("open a dashboard: %w", err)
	}
	key, err := json.Marshal(map[string]string{"key": strings.TrimPrefix(at.Fragment, "key=")})
	if err != nil {
		return nil, fmt.Errorf("open a dashboard: %w", err)
	}
	var proof struct{ Proof string }
	cookies, err := b.post(ctx, "/api/session", string(key), nil, &proof)
	if err != nil {
		return nil, err
	}
	if len(cookies) != 1 || proof.Proof == "" {
		return nil, errors.New("open a dashboard: there is no session")
	}
	b.cookie, b.proof = cookies[0].Name+"="+cookies[0].Value, proof.Proof
	return b, nil
}

// newBrowser returns a client that keeps as many connections as a browser.
func newBrowser() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 6, DisableCompression: true}}
}

// another returns a page of the same session, in a browser of its own.
func (b *dashboard) another() *dashboard {
	return &dashboard{base: b.base, cookie: b.cookie, proof: b.proof, client: newBrowser()}
}

func (b *dashboard) post(ctx context.Context, path, body string, header http.Header, out any) ([]*http.Cookie, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("call %s: %s", path, resp.Status)
	}
	return resp.Cookies(), json.NewDecoder(io.LimitReader(resp.Body, maxDashboardAnswer)).Decode(out)
}

// get opens an answer, with the headers of a browser.
func (b *dashboard) get(ctx context.Context, path, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, nil)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Cookie": b.cookie, "X-Forage-Proof": b.proof, "Accept": accept, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors",
		"Sec-Fetch-Dest": "empty", "Referer": b.base + "/", "Accept-Encoding": "gzip, deflate", "Accept-Language": "en-US,en;q=0.9",
		"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
	} {
		req.Header.Set(name, value)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("call %s: %s", path, resp.Status)
	}
	return resp, nil
}

// ask makes one call.
func (b *dashboard) ask(ctx context.Context, path string) error {
	_, err := b.read(ctx, path)
	b.calls.Add(1)
	return err
}

// run does what an open page does until ctx is done. It returns the first error, nil if there was none.
func (b *dashboard) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var parts sync.WaitGroup
	part := func(do func(context.Context) error) {
		parts.Go(func() {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		})
	}
	for _, p := range dashboardPolls {
		part(func(ctx context.Context) error { return b.poll(ctx, p.path, p.every, nil) })
	}
	told := make(chan struct{}, 1)
	part(func(ctx context.Context) error { return b.poll(ctx, "/api/ring", ringEvery, told) })
	part(func(ctx context.Context) error { return b.follow(ctx, told) })
	<-ctx.Done()
	parts.Wait()
	b.client.CloseIdleConnections()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// poll calls a path again and again, and soon after it is told to. It begins at some moment of the time between
// two calls, as pages are not opened all at once.
func (b *dashboard) poll(ctx context.Context, path string, every time.Duration, told <-chan struct{}) error {
	timer := time.NewTimer(rand.N(min(every, 2*time.Second)))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-told:
			timer.Reset(ringSoon)
			continue
		case <-timer.C:
		}
		if err := b.ask(ctx, path); err != nil {
			return err
		}
		timer.Reset(every)
	}
}

// follow reads the stream of events.
func (b *dashboard) follow(ctx context.Context, told chan<- struct{}) error {
	resp, err := b.get(ctx, "/api/status?lang=en", "*/*")
	if err != nil {
		return err
	}
	var st api.Status
	err = json.NewDecoder(io.LimitReader(resp.Body, maxDashboardAnswer)).Decode(&st)
	resp.Body.Close()
	if err != nil {
		return err
	}
	at := url.Values{"boot": {st.BootID}, "since": {strconv.FormatUint(st.Seq-min(st.Seq, 100), 10)}}
	if resp, err = b.get(ctx, "/api/events?"+at.Encode(), "text/event-stream"); err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		b.streamed.Add(int64(len(line)))
		for _, code := range ringTelling {
			if bytes.Contains(line, code) {
				select {
				case told <- struct{}{}:
				default:
				}
			}
		}
	}
}

// watch keeps so many pages of a session open until the answer is called, which returns how many calls they
// made, and how many bytes of events they read.
func (b *dashboard) watch(ctx context.Context, n int) (end func() (calls, streamed int64, err error)) {
	ctx, cancel := context.WithCancel(ctx)
	pages, errs := make([]*dashboard, n), make([]error, n)
	var open sync.WaitGroup
	for i := range pages {
		pages[i] = b.another()
		open.Go(func() { errs[i] = pages[i].run(ctx) })
	}
	return func() (calls, streamed int64, err error) {
		cancel()
		open.Wait()
		for _, p := range pages {
			calls, streamed = calls+p.calls.Load(), streamed+p.streamed.Load()
		}
		return calls, streamed, errors.Join(errs...)
	}
}
