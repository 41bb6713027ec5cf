package open

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach keeps a Ctrl-C that is meant for us, and the end of our console, from a program that we start. It begins with
// the priority that programs have, which may be more than ours.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS | windows.NORMAL_PRIORITY_CLASS,
	}
}
