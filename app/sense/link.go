package sense

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

// linkEvery is how often routes are read: nothing slower, as this is the source for computers without
// NetworkManager, nothing faster, as these seldom move.
const linkEvery = 10 * time.Second

const (
	// maxRoutes bounds the table: a router of the internet has a million.
	maxRoutes = 4096
	maxTable  = 512 << 10
)

// route is a way to half of the internet or more.
type route struct {
	link   string
	half   bool // one of two halves, as tunnels set them to come before the default
	metric uint64
}

// readRoutes returns the ways to everything, the preferred first.
func readRoutes(proc string) []route {
	var list []route
	if b, err := readFile(filepath.Join(proc, "net", "route"), maxTable); err == nil {
		list = append(list, parseRoutes4(b)...)
	}
	if b, err := readFile(filepath.Join(proc, "net", "ipv6_route"), maxTable); err == nil {
		list = append(list, parseRoutes6(b)...)
	}
	slices.SortStableFunc(list, func(a, b route) int {
		switch {
		case a.half != b.half && a.half:
			return -1
		case a.half != b.half:
			return 1
		case a.metric < b.metric:
			return -1
		case a.metric > b.metric:
			return 1
		}
		return 0
	})
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
			list = append(list, route{f[0], false, metric})
		case (f[1] == "00000000" || f[1] == "00000080") && f[7] == "00000080":
			list = append(list, route{f[0], true, metric})
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
		if f[1] == "00" || f[1] == "01" {
			list = append(list, route{f[9], f[1] == "01", metric})
		}
	}
	return list
}

// sysfsLink looks at the link of the preferred route.
func (h *Hub) sysfsLink(ctx context.Context, report func(Link)) error {
	read := func(context.Context) (Link, error) { return readLink(h.opts.Sys, h.opts.Proc) }
	return poll(ctx, read, report, nil, each[Link](linkEvery))
}

func readLink(sys, proc string) (Link, error) {
	if _, err := os.Stat(filepath.Join(proc, "net", "route")); err != nil {
		return Link{}, errors.New("there is no table of routes")
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

// sysfsMetered concludes from the kind of link what it may cost.
func (h *Hub) sysfsMetered(ctx context.Context, report func(Metered)) error {
	read := func(context.Context) (Metered, error) {
		list := readRoutes(h.opts.Proc)
		if len(list) == 0 {
			return Metered{}, errors.New("there is no way to the internet to judge")
		}
		switch kind, tethered := linkKind(h.opts.Sys, list[0].link); {
		case kind == "mobile":
			return Metered{Yes: true, Guess: true}, nil
		case kind == "ethernet" && !tethered:
			return Metered{Guess: true}, nil
		default:
			return Metered{}, local.Lacks("the kind of link does not tell")
		}
	}
	return poll(ctx, read, report, nil, each[Metered](linkEvery))
}
