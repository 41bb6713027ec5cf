package cli

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach keeps a Ctrl-C that is meant for us from a program that we start.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
