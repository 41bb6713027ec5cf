package identity

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
)

const (
	// lowPort and highPort bound the ports we choose among: above what systems
	// reserve and people know, and below 60000, where several systems' ranges for
	// outgoing connections end.
	lowPort  = 20000
	highPort = 60000
	// portTries is how many ports are tried; on a computer where so many in a row
	// are taken, something else is wrong.
	portTries = 64
)

// Port is the port a node listens on.
type Port struct {
	// Use is the port for this run.
	Use int
	// Kept is the node's own port, which routers are set up for and peers
	// remember. It differs from Use if another program has it now.
	Kept int
}

// Taken reports whether another program has the node's own port.
func (p Port) Taken() bool { return p.Use != p.Kept }

// LoadOrChoosePort returns the port in the file at path. The first time, or if
// the file is damaged, a port that is free for TCP and UDP is chosen at random and
// saved. If the saved one is taken, another is returned for this run, and the
// file stays. host is the address that it must be free of, "" for all.
func LoadOrChoosePort(path, host string) (Port, error) {
	data, err := readSmall(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Port{}, fmt.Errorf("read port: %w", err)
	}
	if kept, ok := parsePort(string(data)); err == nil && ok {
		if portFree(host, kept) {
			return Port{Use: kept, Kept: kept}, nil
		}
		other, err := choosePort(host)
		return Port{Use: other, Kept: kept}, err
	}
	port, err := choosePort(host)
	if err != nil {
		return Port{}, err
	}
	if err := writePrivate(path, []byte(strconv.Itoa(port)+"\n")); err != nil {
		return Port{}, fmt.Errorf("save port: %w", err)
	}
	return Port{Use: port, Kept: port}, nil
}

// parsePort reads a port in the file. Users may write any but a privileged one,
// which peers would not dial.
func parsePort(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil && n >= 1024 && n <= 65535
}

func choosePort(host string) (int, error) {
	for range portTries {
		if p := lowPort + rand.IntN(highPort-lowPort); portFree(host, p) {
			return p, nil
		}
	}
	return 0, fmt.Errorf("no port between %d and %d is free", lowPort, highPort)
}

// portFree reports whether TCP and UDP can listen on port p of an address, or of all.
func portFree(host string, p int) bool {
	addr := net.JoinHostPort(host, strconv.Itoa(p))
	t, err := net.Listen("tcp", addr)
	if err != nil {
		return false
	}
	defer t.Close()
	u, err := net.ListenPacket("udp", addr)
	if err != nil {
		return false
	}
	defer u.Close()
	return true
}
