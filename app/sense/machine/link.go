package machine

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

const (
	// maxRoutes bounds the table: a router of the internet has a million.
	maxRoutes = 4096
	maxTable  = 512 << 10
)

// route is a way to half of the internet or more. Of two, the one of lower rank is taken: one of two halves, as tunnels
// set them, comes before one to everything.
type route struct {
	link string
	rank uint64
}

// whole is added to the metric of a route to everything.
const whole = 1 << 32

// readRoutes returns the ways to everything, the preferred first.
func readRoutes(proc string) []route {
	var list []route
	if b, err := ReadFile(filepath.Join(proc, "net", "route"), maxTable); err == nil {
		list = append(list, parseRoutes4(b)...)
	}
	if b, err := ReadFile(filepath.Join(proc, "net", "ipv6_route"), maxTable); err == nil {
		list = append(list, parseRoutes6(b)...)
	}
	slices.SortStableFunc(list, func(a, b route) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

const routeUp = 1

// parseRoutes4 reads the table of IPv4: link, destination, gateway, flags, 2 numbers, metric, mask, all but the
// decimal metric in hexadecimal digits of this computer's order.
func parseRoutes4(b []byte) (list []route) {
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) < 8 || len(list) >= maxRoutes {
			continue
		}
		flags, err := strconv.ParseUint(f[3], 16, 32)
		if err != nil || flags&routeUp == 0 {
			continue
		}
		metric, err := strconv.ParseUint(f[6], 10, 32)
		if err != nil {
			continue
		}
		switch {
		case f[1] == "00000000" && f[7] == "00000000":
			list = append(list, route{f[0], whole + metric})
		case (f[1] == "00000000" || f[1] == "00000080") && f[7] == "00000080":
			list = append(list, route{f[0], metric})
		}
	}
	return list
}

// parseRoutes6 reads the table of IPv6: destination, its length, source, its length, gateway, metric, 2
// numbers, flags, link, all in hexadecimal digits.
func parseRoutes6(b []byte) (list []route) {
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) < 10 || f[9] == "lo" || len(list) >= maxRoutes {
			continue
		}
		flags, err := strconv.ParseUint(f[8], 16, 32)
		if err != nil || flags&routeUp == 0 {
			continue
		}
		metric, err := strconv.ParseUint(f[5], 16, 32)
		if err != nil || strings.Trim(f[0], "0") != "" && f[0] != "8"+strings.Repeat("0", 31) {
			continue
		}
		switch f[1] {
		case "00":
			list = append(list, route{f[9], whole + metric})
		case "01":
			list = append(list, route{f[9], metric})
		}
	}
	return list
}

// Link is the way to the internet.
type Link struct {
	Up bool `json:"up"`
	// Kind is "ethernet", "wifi", "mobile", "bluetooth", "vpn" or "other".
	Kind string `json:"kind,omitempty"`
	// SSID is the name of the wireless network, if it is one and we are told.
	SSID string `json:"ssid,omitempty"`
	// VPN says that traffic goes through a tunnel.
	VPN bool `json:"vpn"`
}

// Metered tells whether traffic costs money.
type Metered struct {
	Yes bool `json:"yes"`
	// Guess says that nobody has set it; the system or we conclude it from the kind of link.
	Guess bool `json:"guess"`
}

// ReadLink looks at the link of the preferred route.
func ReadLink(sys, proc string) (Link, error) {
	if _, err := os.Stat(filepath.Join(proc, "net", "route")); err != nil {
		return Link{}, words.New("said.sensor.there-is-no-table-of-routes", nil)
	}
	list := readRoutes(proc)
	if len(list) == 0 {
		return Link{}, nil
	}
	kind, _ := linkKind(sys, list[0].link)
	return Link{Up: true, Kind: kind, VPN: kind == "vpn"}, nil
}

// linkKind tells what a link is, and whether it may be a telephone at the other end of a cable.
func linkKind(sys, link string) (kind string, tethered bool) {
	if link == "" || strings.ContainsAny(link, "/\x00") || link == "." || link == ".." {
		return "other", false
	}
	dir := filepath.Join(sys, "class", "net", link)
	event := readValue(filepath.Join(dir, "uevent"))
	if _, err := os.Stat(filepath.Join(dir, "tun_flags")); err == nil {
		return "vpn", false
	}
	for line := range strings.Lines(event) {
		switch strings.TrimSpace(line) {
		case "DEVTYPE=wlan":
			return "wifi", false
		case "DEVTYPE=wwan":
			return "mobile", false
		case "DEVTYPE=bluetooth":
			return "bluetooth", false
		case "DEVTYPE=wireguard":
			return "vpn", false
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "wireless")); err == nil {
		return "wifi", false
	}
	if readValue(filepath.Join(dir, "type")) != "1" {
		return "other", false
	}
	driver, _ := os.Readlink(filepath.Join(dir, "device", "driver"))
	switch filepath.Base(driver) {
	case "rndis_host", "cdc_ether", "cdc_ncm", "cdc_mbim", "ipheth":
		return "ethernet", true
	}
	return "ethernet", false
}

// ReadMetered concludes from the kind of link what it may cost.
func ReadMetered(sys, proc string) (Metered, error) {
	list := readRoutes(proc)
	if len(list) == 0 {
		return Metered{}, words.New("said.sensor.there-is-no-way-to-the", nil)
	}
	switch kind, tethered := linkKind(sys, list[0].link); {
	case kind == "mobile":
		return Metered{Yes: true, Guess: true}, nil
	case kind == "ethernet" && !tethered:
		return Metered{Guess: true}, nil
	}
	return Metered{}, local.Lacks(words.New("said.sensor.the-kind-of-link-does-not", nil))
}
