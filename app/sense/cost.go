package sense

import (
	"context"
	"errors"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/local"
)

const nmName = "org.freedesktop.NetworkManager"

func networkManager(system *bus) service {
	return service{system, nmName, "/org/freedesktop/NetworkManager", nmName}
}

// nmMetered asks NetworkManager, which knows what the user has set and guesses else.
func nmMetered(system *bus) source[Metered] {
	s := networkManager(system)
	return listening("NetworkManager", s, func(ctx context.Context) (Metered, error) {
		n, err := as[uint32](s.get(ctx, "Metered"))
		if err != nil {
			return Metered{}, err
		}
		switch n {
		case 1:
			return Metered{Yes: true}, nil
		case 2:
			return Metered{}, nil
		case 3:
			return Metered{Yes: true, Guess: true}, nil
		case 4:
			return Metered{Guess: true}, nil
		}
		return Metered{}, errors.New("it does not know either")
	}, propertiesChanged)
}

// maxConnections bounds the connections that are asked whether they are tunnels.
const maxConnections = 16

// nmLink asks NetworkManager for the way to the internet.
func nmLink(system *bus) source[Link] {
	s := networkManager(system)
	return listening("NetworkManager", s, s.nmLink, propertiesChanged)
}

func (s service) nmLink(ctx context.Context) (Link, error) {
	state, err := as[uint32](s.get(ctx, "State"))
	if err != nil {
		return Link{}, err
	}
	const connectedLocal = 50
	if state < connectedLocal {
		if state == 0 {
			return Link{}, errors.New("it does not know either")
		}
		return Link{}, nil
	}
	kind, err := as[string](s.get(ctx, "PrimaryConnectionType"))
	if err != nil {
		return Link{}, err
	}
	primary, err := as[dbus.ObjectPath](s.get(ctx, "PrimaryConnection"))
	if err != nil {
		return Link{}, err
	}
	l := Link{Up: true, Kind: nmKind(kind)}
	l.VPN = l.Kind == "vpn" || s.nmTunnel(ctx)
	if l.Kind == "wifi" {
		l.SSID = s.nmSSID(ctx, primary)
	}
	return l, nil
}

func nmKind(kind string) string {
	switch kind {
	case "802-3-ethernet":
		return "ethernet"
	case "802-11-wireless":
		return "wifi"
	case "gsm", "cdma", "wimax":
		return "mobile"
	case "bluetooth":
		return "bluetooth"
	case "vpn", "wireguard", "tun":
		return "vpn"
	}
	return "other"
}

// nmTunnel reports whether any connection is a tunnel to a company or a provider of such.
func (s service) nmTunnel(ctx context.Context) bool {
	list, err := as[[]dbus.ObjectPath](s.get(ctx, "ActiveConnections"))
	if err != nil {
		return false
	}
	for _, path := range list[:min(len(list), maxConnections)] {
		c := service{s.bus, s.name, path, nmName + ".Connection.Active"}
		if vpn, err := as[bool](c.get(ctx, "Vpn")); err == nil && vpn {
			return true
		}
		if kind, err := as[string](c.get(ctx, "Type")); err == nil && kind == "wireguard" {
			return true
		}
	}
	return false
}

// nmSSID returns the name of the wireless network of a connection; "" if it is not told.
func (s service) nmSSID(ctx context.Context, connection dbus.ObjectPath) string {
	c := service{s.bus, s.name, connection, nmName + ".Connection.Active"}
	devices, err := as[[]dbus.ObjectPath](c.get(ctx, "Devices"))
	if err != nil || len(devices) == 0 {
		return ""
	}
	d := service{s.bus, s.name, devices[0], nmName + ".Device.Wireless"}
	ap, err := as[dbus.ObjectPath](d.get(ctx, "ActiveAccessPoint"))
	if err != nil {
		return ""
	}
	a := service{s.bus, s.name, ap, nmName + ".AccessPoint"}
	ssid, err := as[[]byte](a.get(ctx, "Ssid"))
	if err != nil {
		return ""
	}
	return local.Clean(string(ssid), local.MaxText)
}
