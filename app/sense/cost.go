package sense

import (
	"context"

	"github.com/godbus/dbus/v5"

	"github.com/forage-net/forage/app/sense/bus"
	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

const nmName = "org.freedesktop.NetworkManager"

// nmMetered asks NetworkManager, which knows what the user has set and guesses else.
func nmMetered(ctx context.Context, s bus.Service) (Metered, error) {
	n, err := bus.Get[uint32](ctx, s, "Metered")
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
	return Metered{}, words.New("said.sensor.it-does-not-know-either", nil)
}

// maxConnections bounds the connections that are asked whether they are tunnels.
const maxConnections = 16

// nmLink asks NetworkManager for the way to the internet.
func nmLink(ctx context.Context, s bus.Service) (Link, error) {
	state, err := bus.Get[uint32](ctx, s, "State")
	if err != nil {
		return Link{}, err
	}
	const connectedLocal = 50
	if state < connectedLocal {
		if state == 0 {
			return Link{}, words.New("said.sensor.it-does-not-know-either", nil)
		}
		return Link{}, nil
	}
	kind, err := bus.Get[string](ctx, s, "PrimaryConnectionType")
	if err != nil {
		return Link{}, err
	}
	primary, err := bus.Get[dbus.ObjectPath](ctx, s, "PrimaryConnection")
	if err != nil {
		return Link{}, err
	}
	l := Link{Up: true, Kind: nmKind(kind)}
	l.VPN = l.Kind == "vpn" || nmTunnel(ctx, s)
	if l.Kind == "wifi" {
		l.SSID = nmSSID(ctx, s, primary)
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
func nmTunnel(ctx context.Context, s bus.Service) bool {
	list, _ := bus.Get[[]dbus.ObjectPath](ctx, s, "ActiveConnections")
	for _, path := range list[:min(len(list), maxConnections)] {
		c := s.At(path, nmName+".Connection.Active")
		if vpn, _ := bus.Get[bool](ctx, c, "Vpn"); vpn {
			return true
		}
		if kind, _ := bus.Get[string](ctx, c, "Type"); kind == "wireguard" {
			return true
		}
	}
	return false
}

// nmSSID returns the name of the wireless network of a connection; "" if it is not told.
func nmSSID(ctx context.Context, s bus.Service, connection dbus.ObjectPath) string {
	devices, _ := bus.Get[[]dbus.ObjectPath](ctx, s.At(connection, nmName+".Connection.Active"), "Devices")
	if len(devices) == 0 {
		return ""
	}
	ap, err := bus.Get[dbus.ObjectPath](ctx, s.At(devices[0], nmName+".Device.Wireless"), "ActiveAccessPoint")
	if err != nil {
		return ""
	}
	ssid, _ := bus.Get[[]byte](ctx, s.At(ap, nmName+".AccessPoint"), "Ssid")
	return local.Clean(string(ssid), local.MaxText)
}
