//go:build !windows

package open

import (
	"os/exec"
	"syscall"
)

// detach gives a program that we start a session of its own: neither a Ctrl-C that is meant for us nor the end of our
// terminal reaches it, and it cannot write to that.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
