package app

import (
	"errors"
	"net"
	"os"
	"syscall"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings"
)

// sessionsName is the file in STATE that remembers which browsers were let in.
const sessionsName = "sessions.json"

// door is where the API and the dashboard can be reached.
type door struct {
	listeners []net.Listener
	lan       *api.LAN // nil if for this computer alone
}

// addr returns an address of the settings with the port of the door.
func (d *door) addr(set string) string {
	host, _, err := net.SplitHostPort(set)
	_, port, err2 := net.SplitHostPort(api.OwnAddr(d.listeners[0]))
	if err != nil || err2 != nil {
		return set
	}
	return net.JoinHostPort(host, port)
}

// openDoor listens at an address for this computer and, if its user wants that, for others. What is missing for others
// keeps them out, and does not keep the node from working. A simulation has no sockets and no door.
func (n *Node) openDoor(addr string) (*door, error) {
	if n.opts.Sim != nil {
		return nil, nil
	}
	web := n.opts.Config.Web
	web.Addr = addr
	if web.LAN {
		d, err := n.openLAN(web)
		if err == nil {
			return d, nil
		}
		var missing *missingForLAN
		if !errors.As(err, &missing) {
			return nil, err
		}
		n.log.Warn("Other computers cannot open the dashboard", "reason", err)
		web.Addr = settings.OnLoopback(web.Addr)
	}
	ln, err := api.Listen(web.Addr)
	if n.opts.AnyPort && errors.Is(err, syscall.EADDRINUSE) {
		n.log.Warn("Another program has the port of the dashboard, which is at another one for now", "taken", web.Addr)
		ln, err = api.Listen("127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	return &door{listeners: []net.Listener{ln}}, nil
}

// missingForLAN says what the user has to do before others can be let in.
type missingForLAN struct{ error }

func (m *missingForLAN) Unwrap() error { return m.error }

// openLAN listens for other computers too.
func (n *Node) openLAN(web config.Web) (*door, error) {
	if set, err := api.HasPassword(n.opts.Paths.State); err != nil {
		return nil, &missingForLAN{err}
	} else if !set {
		return nil, &missingForLAN{errors.New("web.lan needs a password: \"forage password\" sets it")}
	}
	cert, err := n.certificate(web)
	if err != nil {
		return nil, &missingForLAN{err}
	}
	listeners, err := api.ListenLAN(web.Addr)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(api.OwnAddr(listeners[0]))
	if err != nil {
		return nil, err
	}
	name, err := os.Hostname()
	if err != nil {
		name = "the address of this computer"
	}
	n.log.Info("Dashboard is open to the local network", "url", "https://"+net.JoinHostPort(name, port), "certificate_sha256", cert.Fingerprint())
	return &door{listeners, &api.LAN{TLS: cert.Config(), State: n.opts.Paths.State, Hosts: web.Hosts}}, nil
}

// certificate returns the user's certificate, or one that the node made.
func (n *Node) certificate(web config.Web) (*api.Certificate, error) {
	if (web.TLSCert == "") != (web.TLSKey == "") {
		return nil, errors.New("web.tls_cert and web.tls_key belong together: set both, or neither")
	}
	if web.TLSCert != "" {
		return api.LoadCertificate(web.TLSCert, web.TLSKey)
	}
	return api.OwnCertificate(n.opts.Paths.State)
}
