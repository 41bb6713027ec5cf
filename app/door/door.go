// Package door serves the API and the dashboard: to this computer, and to others of the local network if the user wants
// that. It writes the file by which other commands find the node.
package door

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/certificate"
	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/api/password"
	"github.com/forage-net/forage/app/api/server"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/pulse"
)

// sessionsName is the file in STATE that remembers which browsers were let in.
const sessionsName = "sessions.json"

const (
	// passwordEvery is how often it is looked whether the password has changed.
	passwordEvery = 2 * time.Second
	// descriptorEvery is how often it is made sure that other commands find the node.
	descriptorEvery = 6 * time.Second
)

// Config says what is served, and where.
type Config struct {
	Node    api.Node
	Web     config.Web
	State   string // the directory of passwords, certificates and the descriptor
	AnyPort bool   // if that of Web is taken
	// Dashboard holds the files of the dashboard, nil if there is none.
	Dashboard fs.FS
	BootID    string
	Started   time.Time
	Log       *slog.Logger
}

// Door is where the API and the dashboard can be reached.
type Door struct {
	Config
	token     string
	listeners []net.Listener
	lan       *server.LAN // nil if for this computer alone
}

// Open listens for this computer and, if its user wants that, for others. What is missing for others keeps them out,
// and does not keep the node from working.
func Open(c Config) (*Door, error) {
	d := &Door{Config: c, token: descriptor.NewToken()}
	return d, d.open(c.Web.Addr)
}

// addr returns the address of the settings with the port of the door.
func (d *Door) addr() string {
	host, _, err := net.SplitHostPort(d.Web.Addr)
	_, port, err2 := net.SplitHostPort(conns.OwnAddr(d.listeners[0]))
	if err != nil || err2 != nil {
		return d.Web.Addr
	}
	return net.JoinHostPort(host, port)
}

func (d *Door) open(addr string) error {
	d.lan = nil
	if d.Web.LAN {
		err := d.openLAN(addr)
		var missing *missingForLAN
		if err == nil || !errors.As(err, &missing) {
			return err
		}
		d.Log.Warn("Other computers cannot open the dashboard", "reason", err)
		addr = settings.OnLoopback(addr)
	}
	ln, err := conns.Listen(addr)
	if d.AnyPort && errors.Is(err, syscall.EADDRINUSE) {
		d.Log.Warn("Another program has the port of the dashboard, which is at another one for now", "taken", addr)
		ln, err = conns.Listen("127.0.0.1:0")
	}
	d.listeners = []net.Listener{ln}
	return err
}

// missingForLAN says what the user has to do before others can be let in.
type missingForLAN struct{ error }

func (m *missingForLAN) Unwrap() error { return m.error }

// openLAN listens for other computers too.
func (d *Door) openLAN(addr string) error {
	if set, err := password.IsSet(d.State); err != nil {
		return &missingForLAN{err}
	} else if !set {
		return &missingForLAN{words.New("said.settings.web-lan-needs-a-password-forage", nil)}
	}
	cert, err := d.certificate()
	if err != nil {
		return &missingForLAN{err}
	}
	if d.listeners, err = conns.ListenLAN(addr); err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(conns.OwnAddr(d.listeners[0]))
	if err != nil {
		return err
	}
	name, err := os.Hostname()
	if err != nil {
		name = "the address of this computer"
	}
	d.Log.Info(
		"Dashboard is open to the local network",
		"url", "https://"+net.JoinHostPort(name, port), "certificate_sha256", cert.Fingerprint(),
	)
	d.lan = &server.LAN{TLS: cert.Config(), State: d.State, Hosts: d.Web.Hosts}
	return nil
}

// certificate returns the user's certificate, or one that the node made.
func (d *Door) certificate() (*certificate.Certificate, error) {
	cert, key := d.Web.TLSCert, d.Web.TLSKey
	if (cert == "") != (key == "") {
		return nil, words.New("said.settings.web-tls-cert-and-web-tls", nil)
	}
	if cert != "" {
		return certificate.Load(cert, key)
	}
	return certificate.Own(d.State)
}

// Serve serves the API until ctx is done. When the password of the dashboard is set, changed or removed, it begins
// again: so whatever another computer had open ends, and nothing listens to others without a password.
func (d *Door) Serve(ctx context.Context) error {
	for {
		once, cancel := context.WithCancel(ctx)
		var watch sync.WaitGroup
		if d.Web.LAN {
			watch.Go(func() {
				waitForPassword(once, d.State)
				cancel()
			})
		}
		err := d.serve(once)
		cancel()
		watch.Wait()
		if err != nil || ctx.Err() != nil {
			return err
		}
		d.Log.Info("The password of the dashboard has changed")
		if err := d.open(d.addr()); err != nil {
			return err
		}
	}
}

// waitForPassword returns when there is another password than now, or ctx is done.
func waitForPassword(ctx context.Context, stateDir string) {
	for is := password.ID(stateDir); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pulse.Until(passwordEvery)):
		}
		if password.ID(stateDir) != is {
			return
		}
	}
}

// serve serves the API at the listeners of now, and closes them.
func (d *Door) serve(ctx context.Context) error {
	file := descriptor.Descriptor{
		Addr: conns.OwnAddr(d.listeners[0]), Token: d.token, PID: os.Getpid(), BootID: d.BootID, Started: d.Started,
	}
	var keeper sync.WaitGroup
	defer keeper.Wait()
	keep, cancel := context.WithCancel(ctx)
	defer cancel()
	found := d.keepDescriptor(file, nil)
	keeper.Go(func() {
		for {
			select {
			case <-time.After(pulse.Within(descriptorEvery)):
				found = d.keepDescriptor(file, found)
			case <-keep.Done():
				return
			}
		}
	})
	server := server.New(server.Config{
		Node: d.Node, Token: d.token, BootID: d.BootID, Log: d.Log,
		Dashboard: d.Dashboard, Sessions: filepath.Join(d.State, sessionsName), LAN: d.lan,
	})
	d.Log.Info("Dashboard is up", "url", "http://"+file.Addr, "to_open", "forage dashboard")
	err := server.Serve(ctx, d.listeners...)
	cancel()
	keeper.Wait()
	return errors.Join(err, descriptor.Remove(d.State, d.BootID))
}

// keepDescriptor writes the file by which verbs find this node, if it is not
// there: a full disk may have kept it from being written, or somebody removed it. last is what it returned when it was
// called last: the file as it was found then, nil if there was none that is this node's.
func (d *Door) keepDescriptor(file descriptor.Descriptor, last fs.FileInfo) fs.FileInfo {
	is, err := descriptor.Stat(d.State)
	same := err == nil && last != nil && os.SameFile(is, last)
	if same && is.ModTime().Equal(last.ModTime()) && is.Size() == last.Size() {
		return last
	}
	if found, err := descriptor.Read(d.State); err == nil && found.BootID == file.BootID {
		return is // if it was changed in between, it is read once more
	}
	if err := descriptor.Write(d.State, file); err != nil {
		d.Log.Warn("Other commands cannot find this node for now", "error", err)
	}
	return nil
}
