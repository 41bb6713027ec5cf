package sense

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	errBusGone = errors.New("the bus is gone")
	errBusAuth = errors.New("the bus does not let us in")
)

const (
	// callTimeout bounds a call to a service.
	callTimeout = 2 * time.Second
	// maxPerSecond bounds the messages read from a bus. Those beyond wait; the bus drops
	// whoever causes them, or us, and then another source is read.
	maxPerSecond = 200
	// maxCalls bounds calls that wait for their reply.
	maxCalls = 64
)

// busConn is one connection to a bus. When it fails it is of no more use.
type busConn struct {
	conn    net.Conn
	writing chan struct{} // holds one while somebody writes

	mu      sync.Mutex
	serial  uint32
	waiting map[uint32]chan *busMessage
	err     error
	gone    chan struct{} // closed with err
	signals kicksBy
}

// kicksBy are listeners by interface and member of a signal.
type kicksBy map[string]*kicks

// openBus speaks to a bus on a connection, which it closes when it fails. The
// caller waits for serve.
func openBus(ctx context.Context, conn net.Conn) (*busConn, *bufio.Reader, error) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	conn.SetDeadline(time.Now().Add(callTimeout))
	r := bufio.NewReaderSize(conn, 4096)
	if err := busAuth(conn, r); err != nil {
		conn.Close()
		return nil, nil, err
	}
	conn.SetDeadline(time.Time{})
	return &busConn{
		conn: conn, writing: make(chan struct{}, 1),
		waiting: make(map[uint32]chan *busMessage), gone: make(chan struct{}), signals: make(kicksBy),
	}, r, nil
}

// busAuth is the EXTERNAL mechanism: the kernel tells the bus who we are.
func busAuth(conn net.Conn, r *bufio.Reader) error {
	uid := hex.EncodeToString([]byte(strconv.Itoa(os.Getuid())))
	if _, err := fmt.Fprintf(conn, "\x00AUTH EXTERNAL %s\r\n", uid); err != nil {
		return err
	}
	line, err := r.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("%w: %w", errBusAuth, err)
	}
	if !strings.HasPrefix(string(line), "OK ") {
		return errBusAuth
	}
	_, err = io.WriteString(conn, "BEGIN\r\n")
	return err
}

// serve reads messages until the connection fails.
func (c *busConn) serve(r *bufio.Reader) {
	err := c.receive(r)
	c.conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = fmt.Errorf("%w: %w", errBusGone, err)
	close(c.gone)
	for _, k := range c.signals {
		k.kick()
	}
}

func (c *busConn) receive(r *bufio.Reader) error {
	var t throttle
	for {
		m, err := readMessage(r)
		if err != nil {
			return err
		}
		c.dispatch(m)
		t.one()
	}
}

func readMessage(r *bufio.Reader) (*busMessage, error) {
	var head [busHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n, err := busLength(head[:])
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	copy(b, head[:])
	if _, err := io.ReadFull(r, b[busHead:]); err != nil {
		return nil, err
	}
	return decodeMessage(b)
}

func (c *busConn) dispatch(m *busMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m.kind {
	case busReply, busError:
		if ch := c.waiting[m.replyTo]; ch != nil {
			delete(c.waiting, m.replyTo)
			ch <- m // has room for the one reply
		}
	case busSignal:
		if k := c.signals[m.iface+"."+m.member]; k != nil {
			k.kick()
		}
	}
}

// call calls a method that may not start a service, and returns the values of the reply.
func (c *busConn) call(ctx context.Context, dest string, path objectPath, iface, member string, args ...any) ([]any, error) {
	ch := make(chan *busMessage, 1)
	m := &busMessage{kind: busCall, flags: flagNoAutoStart, path: path, iface: iface, member: member, destination: dest}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, m.serial)
	}()
	if err := c.send(m, ch, args...); err != nil {
		return nil, err
	}
	t := time.NewTimer(callTimeout)
	defer t.Stop()
	select {
	case m := <-ch:
		return m.reply()
	case <-c.gone:
		return nil, c.err
	case <-t.C:
		return nil, fmt.Errorf("call %s: %w", member, errNoAnswer)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *busConn) send(m *busMessage, ch chan *busMessage, args ...any) error {
	var w busWriter
	for _, a := range args {
		m.signature += w.value(a)
	}
	m.body = w.b
	if err := c.expect(m, ch); err != nil {
		return err
	}
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	// What we send fits the buffer of any socket that is read at all.
	c.conn.SetWriteDeadline(time.Now().Add(callTimeout))
	if _, err := c.conn.Write(m.encode()); err != nil {
		c.conn.Close()
		return err
	}
	return nil
}

// expect gives the message its serial, and its reply to ch, unless that is nil.
func (c *busConn) expect(m *busMessage, ch chan *busMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if len(c.waiting) >= maxCalls {
		return errNoAnswer
	}
	c.serial++
	m.serial = c.serial
	if ch != nil {
		c.waiting[m.serial] = ch
	}
	return nil
}

// reply returns what a message answers.
func (m *busMessage) reply() ([]any, error) {
	vs, err := m.values()
	if m.kind != busError {
		return vs, err
	}
	text := m.errorName
	if err == nil && len(vs) > 0 {
		if s, ok := vs[0].(string); ok && s != "" {
			text = s
		}
	}
	if isUnknownService(m.errorName) {
		return nil, lacks(clean(text, maxWhy))
	}
	return nil, errors.New(clean(text, maxWhy))
}
