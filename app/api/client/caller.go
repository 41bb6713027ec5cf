package client

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
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/api/events"
	"github.com/forage-net/forage/assets/words"
)

const (
	// dialTimeout is how long Dial waits: a node on this computer answers at
	// once, but where many others want the processor too.
	dialTimeout = 10 * time.Second
	// callTimeout is longer than the server's nodeTimeout, whose error says more.
	callTimeout = 15 * time.Second
	// maxAnswer is the longest answer read, in bytes: several times the longest page of domains.
	maxAnswer = 16 << 20
	// maxProblem is the longest answer read that is an error.
	maxProblem = 64 << 10
)

// caller makes calls to the node of one state directory.
type caller struct {
	dir  string
	http *http.Client

	mu   sync.Mutex
	desc descriptor.Descriptor
	lang string // "" for English
}

// SetLang has all answers from now on, and what goes wrong, in a language: "en", as it is at first, or "de". What a
// method is asked for in a language of its own comes in that one.
func (c *caller) SetLang(lang string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lang = lang
}

// accepts returns what the header Accept-Language says, "" for nothing.
func (c *caller) accepts() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lang
}

// newHTTPClient returns a client that goes nowhere but where it is told: no proxy, no redirects.
func newHTTPClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
			ResponseHeaderTimeout:  callTimeout,
			MaxResponseHeaderBytes: 16 << 10,
			MaxIdleConns:           2,
			IdleConnTimeout:        30 * time.Second, // ours end before the server's
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// connect reads the descriptor and asks the node who it is.
func (c *caller) connect(ctx context.Context) error {
	d, err := descriptor.Read(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return api.ErrNotRunning
	}
	if err != nil {
		return err
	}
	var st api.Status
	err = c.do(ctx, d, http.MethodGet, "/api/status", nil, &st)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return words.New("said.cli.does-not-answer", words.Args{"pid": strconv.Itoa(d.PID), "error": err})
	case errors.Is(err, api.ErrNotRunning):
		return err
	case err != nil:
		return fmt.Errorf("%w: on %s: %w", api.ErrNotRunning, d.Addr, err)
	case st.BootID != d.BootID:
		return fmt.Errorf("%w: another one answers on %s", api.ErrNotRunning, d.Addr)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.desc = d
	return nil
}

func (c *caller) descriptor() descriptor.Descriptor {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.desc
}

func eventsPath(at events.Cursor, limit int) string {
	q := url.Values{"boot": {at.Boot}, "since": {strconv.FormatUint(at.Since, 10)}, "limit": {strconv.Itoa(limit)}}
	return "/api/events?" + q.Encode()
}

func get[T any](ctx context.Context, c *caller, path string) (out T, err error) {
	err = c.call(ctx, http.MethodGet, path, nil, &out)
	return out, err
}

func post[T any](ctx context.Context, c *caller, path string, in any) (out T, err error) {
	err = c.call(ctx, http.MethodPost, path, in, &out)
	return out, err
}

// call makes a call that ends.
func (c *caller) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.do(ctx, c.descriptor(), method, path, in, out)
}

// do sends in, unless nil, as JSON, and reads the answer into out, unless nil.
func (c *caller) do(ctx context.Context, d descriptor.Descriptor, method, path string, in, out any) error {
	resp, err := c.send(ctx, d, method, path, in, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return called(path, err)
	}
	if len(body) > maxAnswer {
		return called(path, words.New("said.cli.the-answer-is-larger", words.Args{"most": maxAnswer}))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return called(path, words.New("said.cli.read-answer", words.Args{"error": err}))
	}
	return nil
}

// send makes a request and returns an answer that is no error. The caller closes its body.
func (c *caller) send(
	ctx context.Context, d descriptor.Descriptor, method, path string, in any, header http.Header,
) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, called(path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+d.Addr+path, body)
	if err != nil {
		return nil, called(path, err)
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
		return nil, fmt.Errorf("%w: %w", api.ErrNotRunning, err)
	}
	if err != nil {
		return nil, called(path, err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, answerError(resp)
}

// called says that a call did not come to an end.
func called(path string, err error) error {
	return words.New("said.sensor.call", words.Args{"name": path, "error": err})
}

// answerError reads an answer that is an error.
func answerError(resp *http.Response) error {
	var p api.Problem
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	if err != nil || json.Unmarshal(body, &p) != nil || p.Error == "" {
		p.Error = "the answer is " + strconv.Itoa(resp.StatusCode)
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusMisdirectedRequest {
		// The address is another program's now, or another node's.
		return fmt.Errorf("%w: %s", api.ErrNotRunning, p.Error)
	}
	var bad api.SettingError
	if resp.StatusCode == http.StatusBadRequest && json.Unmarshal(body, &bad) == nil && bad.Key+bad.Reason != "" {
		return &bad
	}
	return &api.CallError{Status: resp.StatusCode, Err: errors.New(p.Error)}
}

// isGone reports whether nobody listens any more at the other end.
func isGone(err error) bool {
	if runtime.GOOS == "windows" && (errors.Is(err, wsaeConnRefused) || errors.Is(err, wsaeConnReset)) {
		return true
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF)
}

// Windows returns these in place of syscall.ECONNREFUSED and the like.
const (
	wsaeConnReset   = syscall.Errno(10054)
	wsaeConnRefused = syscall.Errno(10061)
)
