package sense

import (
	"net"
	"slices"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// maxLinks bounds the links whose addresses are compared.
const maxLinks = 256

// addresses describes the links that are up, and their addresses.
func addresses() (string, error) {
	links, err := net.Interfaces()
	if err != nil {
		return "", words.New("said.sensor.list-links", words.Args{"error": err})
	}
	var list []string
	for _, l := range links[:min(len(links), maxLinks)] {
		if l.Flags&net.FlagUp == 0 || l.Flags&net.FlagLoopback != 0 {
			continue
		}
		as, err := l.Addrs()
		if err != nil {
			continue // it has just gone
		}
		for _, a := range as[:min(len(as), maxLinks)] {
			list = append(list, l.Name+" "+a.String())
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n"), nil
}
