//go:build !linux

package local

import (
	"context"
	"net"
)

// Dial fails: only on Linux is there something to speak to.
func Dial(context.Context, string) (net.Conn, error) { return nil, Lacks("this system has none") }
