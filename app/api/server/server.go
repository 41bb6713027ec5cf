// Package server serves the local API of a node (app/api). It decides who may call, reads what is asked for, asks the
// node, and writes its answer. It computes nothing itself and never makes the node wait for a caller. It is safe for
// concurrent use.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/dashboard"
	"github.com/forage-net/forage/app/api/events"
	"github.com/forage-net/forage/app/api/password"
	"github.com/forage-net/forage/app/api/secret"
	"github.com/forage-net/forage/app/api/session"
	"github.com/forage-net/forage/app/api/sharing"
)

// Bounds of the server. Front ends are few and near: anything beyond these is
// a mistake or an attack.
const (
	maxConns   = 128
	maxStreams = 32
	maxHeader  = 16 << 10
	maxBody    = 64 << 10

	headerTimeout = 5 * time.Second
	readTimeout   = 15 * time.Second // more than nodeTimeout: when it ends, a call is given up
	writeTimeout  = 30 * time.Second
	idleTimeout   = time.Minute
	// nodeTimeout is how long a call waits for the node.
	nodeTimeout = 10 * time.Second
	// streamPause is how long a stream that has caught up gathers events before it writes
	// again. Pages spread what came together over time, so five writes a second look smooth; ten would cost
	// a busy node with many pages open twice as much.
	streamPause = 200 * time.Millisecond
	// streamTimeout is how long a stream waits for its reader.
	streamTimeout = 10 * time.Second
	// shutdownGrace is how long calls may go on when the server stops: within
	// the two seconds a node has to stop.
	shutdownGrace = time.Second
)

// Config is what a Server needs.
type Config struct {
	Node api.Node
	// Token is the secret callers must know (NewToken).
	Token string
	// BootID names this start of the node (NewBootID), as in Status.
	BootID string
	// Log is told of panics, and who opened the dashboard; nil for none.
	Log *slog.Logger
	// Dashboard holds the dashboard's files; nil, or without index.html, a page says how to build it.
	Dashboard fs.FS
	// Sessions is the file in which the browsers that were let in outlast the node; "" for none.
	Sessions string
	// LAN lets other computers in; nil keeps them out.
	LAN *LAN
}

// LAN lets other computers of the local network in: by TLS, with the password.
type LAN struct {
	// TLS has a certificate (app/api/certificate).
	TLS *tls.Config
	// State is the directory with the password (password.Set).
	State string
	// Hosts are names by which they may call this computer, some with a port, besides its addresses and its
	// own name.
	Hosts []string
}

// Server serves the API of one node.
type Server struct {
	node     api.Node
	token    secret.Digest
	boot     string
	log      *slog.Logger
	streams  chan struct{}              // one element for each open stream
	files    map[string]*dashboard.File // of the dashboard, by path
	sessions *session.Sessions
	guesses  *password.Guesses
	frames   map[string]*events.Frames // by language
	shared   *sharing.Answers
	tickets  tickets // of downloads
	views    views   // of the archive
	window   events.Window
	lan      *LAN
	password *password.File // nil where nobody is let in by one
	// Constants except for tests.
	conns         int
	heartbeat     time.Duration
	streamPause   time.Duration
	streamTimeout time.Duration
}

// New returns a server, which serves nobody before Serve.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	files, err := dashboard.Read(c.Dashboard)
	if err != nil {
		c.Log.Error("Dashboard cannot be shown", "error", err)
		files, _ = dashboard.Read(nil)
	}
	s := &Server{
		files: files, guesses: password.NewGuesses(time.Now),
		node: c.Node, token: secret.Of(c.Token), boot: c.BootID, log: c.Log,
		streams: make(chan struct{}, maxStreams), frames: events.AllFrames(c.BootID), shared: sharing.New(time.Now),
		conns: maxConns, heartbeat: events.Heartbeat,
		streamPause: streamPause, streamTimeout: streamTimeout,
	}
	var current func() string
	if c.LAN != nil {
		s.lan, s.password = c.LAN, password.Open(c.LAN.State)
		current = s.password.ID
	}
	if s.sessions, err = session.Open(c.Sessions, time.Now, current); err != nil {
		c.Log.Warn("Dashboard will ask for a link again", "error", err)
	}
	return s
}

// entrance returns what lets callers in.
func (s *Server) entrance() *entrance {
	return &entrance{s.token, s.sessions, s.guesses, s.password, s.log, s.views.endAll}
}

// flow returns what shows events.
func (s *Server) flow() *streams {
	return &streams{
		node: s.node, boot: s.boot, log: s.log, open: s.streams, frames: s.frames, window: &s.window,
		knows: s.entrance().knows, heartbeat: s.heartbeat, pause: s.streamPause, timeout: s.streamTimeout,
	}
}

// Serve answers calls on listeners made by conns.Listen or conns.ListenLAN, all at one port, until ctx is done; then it
// ends streams, lets calls finish for a second, and returns nil. It closes the listeners.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	port, err := s.portOf(listeners)
	if err != nil {
		for _, ln := range listeners {
			err = errors.Join(err, ln.Close())
		}
		return fmt.Errorf("serve API: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &http.Server{
		Handler:           s.handler(port),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       conns.Context,
		ConnState:         conns.Turn,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
	}
	var others *tls.Config
	if s.lan != nil {
		others = s.lan.TLS
	}
	room := conns.New(s.conns, others)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		shutdown(srv)
	}()
	ends := make(chan error, len(listeners))
	for _, ln := range listeners {
		go func() { ends <- srv.Serve(room.Guard(ln)) }()
	}
	for range listeners {
		if end := <-ends; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
		cancel()
	}
	<-stopped
	if err != nil {
		return fmt.Errorf("serve API: %w", err)
	}
	return nil
}

// portOf returns the port of the listeners. Without LAN, they must be out of reach of other computers.
func (s *Server) portOf(listeners []net.Listener) (port string, err error) {
	for _, ln := range listeners {
		addr, ok := ln.Addr().(*net.TCPAddr)
		if !ok || !addr.IP.IsLoopback() && s.lan == nil {
			return "", fmt.Errorf("%s could be reached from other computers", ln.Addr())
		}
		port = strconv.Itoa(addr.Port)
	}
	if port == "" {
		return "", errors.New("there is no listener")
	}
	return port, nil
}

// shutdown has a context of its own: it runs when the server's is done.
func shutdown(srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		srv.Close() // what still runs has had its time
	}
}
