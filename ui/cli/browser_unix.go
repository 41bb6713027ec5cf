//go:build !windows

package cli

import (
	"os/exec"
	"syscall"
)

// detach keeps a Ctrl-C that is meant for us from a program that we start.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
