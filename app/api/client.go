package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api/descriptor"
)

// ErrNotRunning is returned when no node runs with the state directory asked for, or it ended.
var ErrNotRunning = errors.New("Forage is not running here")

const (
	// dialTimeout is how long Dial waits: a node on this computer answers at
	// once, but where many others want the processor too.
	dialTimeout = 10 * time.Second
	// callTimeout is longer than the server's nodeTimeout, whose error says more.
	callTimeout = 15 * time.Second
	// maxAnswer is the longest answer read, in bytes: several times the longest page of domains.
	maxAnswer = 16 << 20
)

// Client calls the node of one state directory.
type Client struct {
	dir  string
	http *http.Client
	// Constants except for tests.
	silence time.Duration
	retries []time.Duration

	mu   sync.Mutex
	desc descriptor.Descriptor
	lang string // "" for English
}

// SetLang has all answers from now on, and what goes wrong, in a language: "en", as it is at first, or "de". What a
// method is asked for in a language of its own comes in that one.
func (c *Client) SetLang(lang string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lang = lang
}

// accepts returns what the header Accept-Language says, "" for nothing.
func (c *Client) accepts() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lang
}

// Dial finds the node of a state directory and makes sure that it answers and
// is the one that wrote the descriptor there. The error is ErrNotRunning if
// there is none.
func Dial(stateDir string) (*Client, error) {
	c := &Client{dir: stateDir, http: newHTTPClient(), silence: streamSilence, retries: streamRetries()}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// newHTTPClient returns a client that goes nowhere but where it is told: no proxy, no redirects.
func newHTTPClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
			ResponseHeaderTimeout:  callTimeout,
			MaxResponseHeaderBytes: maxHeader,
			MaxIdleConns:           2,
			IdleConnTimeout:        idleTimeout / 2, // ours end before the server's
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// connect reads the descriptor and asks the node who it is.
func (c *Client) connect(ctx context.Context) error {
	d, err := descriptor.Read(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotRunning
	}
	if err != nil {
		return err
	}
	var st Status
	err = c.do(ctx, d, http.MethodGet, "/api/status", nil, &st)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("Forage (process %d) does not answer: %w", d.PID, err)
	case errors.Is(err, ErrNotRunning):
		return err
	case err != nil:
		return fmt.Errorf("%w: on %s: %w", ErrNotRunning, d.Addr, err)
	case st.BootID != d.BootID:
		return fmt.Errorf("%w: another one answers on %s", ErrNotRunning, d.Addr)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.desc = d
	return nil
}

func (c *Client) descriptor() descriptor.Descriptor {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.desc
}

// Status returns what the node is doing now.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return getAs[Status](ctx, c, "/api/status")
}

// StatusIn is Status with its sentences in a language, "en" or "de".
func (c *Client) StatusIn(ctx context.Context, lang string) (Status, error) {
	return getAs[Status](ctx, c, "/api/status?lang="+lang)
}

// Domains returns at most limit (1 to 1000) domains of those after a name, "" for the first.
func (c *Client) Domains(ctx context.Context, after string, limit int) ([]Domain, error) {
	q := url.Values{"after": {after}, "limit": {strconv.Itoa(limit)}}
	page, err := getAs[DomainPage](ctx, c, "/api/domains?"+q.Encode())
	return page.Domains, err
}

// Events returns at most limit (1 to 1000) events after the one with the ID since of a boot, as in a Status; "" is the
// present boot. It does not wait for any.
func (c *Client) Events(ctx context.Context, boot string, since uint64, limit int) (EventPage, error) {
	return getAs[EventPage](ctx, c, eventsPath(cursor{boot, since}, limit))
}

func eventsPath(at cursor, limit int) string {
	q := url.Values{"boot": {at.boot}, "since": {strconv.FormatUint(at.since, 10)}, "limit": {strconv.Itoa(limit)}}
	return "/api/events?" + q.Encode()
}

// Pause stops the node's work for a time, or until Resume if d is 0.
func (c *Client) Pause(ctx context.Context, d time.Duration) error {
	return c.timed(ctx, "/api/pause", d)
}

// timed sends a verb that takes a length of time, or none if d is 0.
func (c *Client) timed(ctx context.Context, path string, d time.Duration) error {
	var body pauseRequest
	if d != 0 {
		body.For = d.String()
	}
	return c.call(ctx, http.MethodPost, path, body, nil)
}

// Resume ends a pause.
func (c *Client) Resume(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/resume", struct{}{}, nil)
}

// Stop makes the node stop. It returns when the node has begun to.
func (c *Client) Stop(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/stop", struct{}{}, nil)
}

// getAs returns what a path answers.
func getAs[T any](ctx context.Context, c *Client, path string) (out T, err error) {
	err = c.call(ctx, http.MethodGet, path, nil, &out)
	return out, err
}

// postAs returns what a path answers to a body.
func postAs[T any](ctx context.Context, c *Client, path string, in any) (out T, err error) {
	err = c.call(ctx, http.MethodPost, path, in, &out)
	return out, err
}

// call makes a call that ends.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.do(ctx, c.descriptor(), method, path, in, out)
}

// do sends in, unless nil, as JSON, and reads the answer into out, unless nil.
func (c *Client) do(ctx context.Context, d descriptor.Descriptor, method, path string, in, out any) error {
	resp, err := c.send(ctx, d, method, path, in, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("call %s: %w", path, err)
	}
	if len(body) > maxAnswer {
		return fmt.Errorf("call %s: the answer is larger than %d bytes", path, maxAnswer)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("call %s: read answer: %w", path, err)
	}
	return nil
}

// send makes a request and returns an answer that is no error. The caller closes its body.
func (c *Client) send(
	ctx context.Context, d descriptor.Descriptor, method, path string, in any, header http.Header,
) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+d.Addr+path, body)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", path, err)
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	if lang := c.accepts(); lang != "" {
		req.Header.Set("Accept-Language", lang)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if isGone(err) {
		return nil, fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", path, err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, answerError(resp)
}

// answerError reads an answer that is an error.
func answerError(resp *http.Response) error {
	var p problem
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil || json.Unmarshal(body, &p) != nil || p.Error == "" {
		p.Error = "the answer is " + strconv.Itoa(resp.StatusCode)
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusMisdirectedRequest {
		// The address is another program's now, or another node's.
		return fmt.Errorf("%w: %s", ErrNotRunning, p.Error)
	}
	var bad SettingError
	if resp.StatusCode == http.StatusBadRequest && json.Unmarshal(body, &bad) == nil && bad.Key+bad.Reason != "" {
		return &bad
	}
	return &callError{resp.StatusCode, p.Error}
}
