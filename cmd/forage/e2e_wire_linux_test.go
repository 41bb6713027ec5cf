package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// wire is a network namespace with a cable to the one of this test, and what went over that cable.
type wire struct {
	t          *testing.T
	name       string // of the namespace
	here       netip.Addr
	inside     netip.Addr
	mu         sync.Mutex
	packets    []packet
	unreadable int
}

// packet is what was seen of one packet; the time is the kernel's.
type packet struct {
	at     time.Time
	sent   bool // from inside
	proto  string
	port   uint16 // here
	length int
	head   string
	reset  bool // of TCP: the kernel's answer to a call that nobody takes
}

// maxPackets bounds what is kept.
const maxPackets = 1 << 20

// newWire makes a namespace and watches its cable. It skips the test, aloud, where that is not allowed.
func newWire(t *testing.T) *wire {
	t.Helper()
	n := os.Getpid()
	w := &wire{t: t, name: fmt.Sprintf("forage-test-%d", n), here: netip.AddrFrom4([4]byte{10, 213, byte(n >> 6), byte(n << 2)}).Next()}
	w.inside = w.here.Next()
	if out, err := exec.Command("ip", "netns", "add", w.name).CombinedOutput(); err != nil {
		t.Skipf("NOT CHECKED: no network namespaces: %v %s", err, out)
	}
	t.Cleanup(func() { w.ip("netns", "delete", w.name) })
	here, inside := fmt.Sprintf("fh%d", n), fmt.Sprintf("fi%d", n)
	const macHere, macInside = "02:00:00:00:00:01", "02:00:00:00:00:02"
	// Neighbours are known and there is no IPv6, so that the kernel has nothing to say of its own.
	w.in("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
	w.ip("link", "add", here, "address", macHere, "type", "veth", "peer", "name", inside, "address", macInside, "netns", w.name)
	t.Cleanup(func() { _ = exec.Command("ip", "link", "delete", here).Run() }) // gone with the namespace, as a rule
	if out, err := exec.Command("sysctl", "-qw", "net.ipv6.conf."+here+".disable_ipv6=1").CombinedOutput(); err != nil {
		t.Fatalf("sysctl: %v %s", err, out)
	}
	w.ip("address", "add", w.here.String()+"/30", "dev", here)
	w.ip("link", "set", here, "up")
	w.in("ip", "address", "add", w.inside.String()+"/30", "dev", inside)
	w.in("ip", "link", "set", "lo", "up")
	w.in("ip", "link", "set", inside, "up")
	w.in("ip", "route", "add", "default", "via", w.here.String())
	w.ip("neigh", "replace", w.inside.String(), "lladdr", macInside, "dev", here, "nud", "permanent")
	w.in("ip", "neigh", "replace", w.here.String(), "lladdr", macHere, "dev", inside, "nud", "permanent")
	w.watch(here)
	return w
}

func (w *wire) ip(args ...string) {
	w.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		w.t.Fatalf("ip %s: %v %s", strings.Join(args, " "), err, out)
	}
}

// command is one that runs inside.
func (w *wire) command(args ...string) *exec.Cmd {
	return exec.Command("ip", slices.Concat([]string{"netns", "exec", w.name}, args)...)
}

func (w *wire) in(args ...string) {
	w.t.Helper()
	if out, err := w.command(args...).CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v %s", strings.Join(args, " "), err, out)
	}
}

// watch notes each packet on a device until the test ends.
func (w *wire) watch(device string) {
	w.t.Helper()
	link, err := net.InterfaceByName(device)
	if err != nil {
		w.t.Fatal(err)
	}
	all := uint16(unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xff00)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, int(all))
	if err != nil {
		w.t.Skipf("NOT CHECKED: no packet sockets: %v", err)
	}
	err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: link.Index})
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}
	if err == nil {
		err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100_000})
	}
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 32<<20)
	}
	if err != nil {
		w.t.Fatalf("watch %s: %v", device, err)
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				w.next(fd)
			}
		}
	}()
	w.t.Cleanup(func() {
		close(stop)
		<-ended
		unix.Close(fd)
	})
}

// next notes the next packet, if one comes soon.
func (w *wire) next(fd int) {
	buf, control := make([]byte, 128), make([]byte, 128)
	n, nc, _, from, err := unix.Recvmsg(fd, buf, control, 0)
	if err != nil {
		return
	}
	p, ok := readPacket(buf[:n])
	if lower, is := from.(*unix.SockaddrLinklayer); is {
		p.sent = lower.Pkttype != unix.PACKET_OUTGOING
	}
	list, err := unix.ParseSocketControlMessage(control[:nc])
	if err == nil && len(list) > 0 && len(list[0].Data) >= 16 {
		d := list[0].Data
		p.at = time.Unix(int64(binary.NativeEndian.Uint64(d)), int64(binary.NativeEndian.Uint64(d[8:])))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !ok || p.at.IsZero() {
		w.unreadable++
	}
	if p.at.IsZero() {
		p.at = time.Now()
	}
	if p.sent { // the other end's is what the packet is for
		p.port = binary.BigEndian.Uint16([]byte(p.head[2:4]))
	} else {
		p.port = binary.BigEndian.Uint16([]byte(p.head[0:2]))
	}
	if len(w.packets) < maxPackets {
		w.packets = append(w.packets, p)
	}
}

// readPacket reads the heads of an IPv4 packet.
func readPacket(b []byte) (packet, bool) {
	p := packet{proto: "?", length: len(b), head: "\x00\x00\x00\x00"}
	if len(b) < 20 || b[0]>>4 != 4 {
		return p, false
	}
	p.length = int(binary.BigEndian.Uint16(b[2:]))
	head := int(b[0]&15) * 4
	switch b[9] {
	case unix.IPPROTO_TCP:
		p.proto = "tcp"
	case unix.IPPROTO_UDP:
		p.proto = "udp"
	default:
		p.proto = fmt.Sprintf("protocol %d", b[9])
		return p, true
	}
	if len(b) < head+4 {
		return p, false
	}
	p.head = string(b[head : head+4])
	p.reset = p.proto == "tcp" && len(b) > head+13 && b[head+13]&4 != 0
	return p, true
}

// since returns the packets from one time to another.
func (w *wire) since(from, to time.Time) []packet {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []packet
	for _, p := range w.packets {
		if !p.at.Before(from) && p.at.Before(to) {
			list = append(list, p)
		}
	}
	return list
}

// String tells of packets in a few words.
func (p packet) String() string {
	way := "to the node, from port"
	if p.sent {
		way = "from the node, to port"
	}
	return fmt.Sprintf("%s of %d bytes %s %d", p.proto, p.length, way, p.port)
}

// summary counts packets of a kind.
func summary(list []packet) string {
	counts := make(map[string]int)
	var order []string
	for _, p := range list {
		s := p.String()
		if counts[s]++; counts[s] == 1 {
			order = append(order, s)
		}
	}
	var b bytes.Buffer
	for i, s := range order {
		if i == 12 {
			fmt.Fprintf(&b, "and %d other kinds\n", len(order)-i)
			break
		}
		fmt.Fprintf(&b, "%d × %s\n", counts[s], s)
	}
	return b.String()
}
