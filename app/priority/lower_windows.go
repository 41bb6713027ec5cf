package priority

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ioVeryLow is the least of the I/O priorities (IO_PRIORITY_HINT).
const ioVeryLow = 0

// lower sets class and I/O priority, which are of the process with all its threads.
// PROCESS_MODE_BACKGROUND_BEGIN would set both, but it also holds the working set
// to 32 MB, so that a process of more spends its time on page faults.
func lower(*Launcher) error {
	self := windows.CurrentProcess()
	var cpu, io error
	if err := windows.SetPriorityClass(self, windows.IDLE_PRIORITY_CLASS); err != nil {
		cpu = fmt.Errorf("lower CPU priority: %w", err)
	}
	hint := uint32(ioVeryLow)
	if err := windows.NtSetInformationProcess(self, windows.ProcessIoPriority, unsafe.Pointer(&hint),
		uint32(unsafe.Sizeof(hint))); err != nil {
		io = fmt.Errorf("lower I/O priority: %w", err)
	}
	return errors.Join(cpu, io)
}

// ioNormal is the I/O priority that programs have.
const ioNormal = 2

// restore sets the ordinary class and I/O priority.
func restore() error {
	self := windows.CurrentProcess()
	hint := uint32(ioNormal)
	return errors.Join(windows.SetPriorityClass(self, windows.NORMAL_PRIORITY_CLASS),
		windows.NtSetInformationProcess(self, windows.ProcessIoPriority, unsafe.Pointer(&hint),
			uint32(unsafe.Sizeof(hint))))
}
