//go:build !linux

package local

import (
	"context"
	"net"

	"github.com/forage-net/forage/assets/words"
)

// Dial fails: only on Linux is there something to speak to.
func Dial(context.Context, string) (net.Conn, error) {
	return nil, Lacks(words.New("said.sensor.this-system-has-none", nil))
}
