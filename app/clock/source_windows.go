package clock

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// system goes by the interrupt time, which counts sleep and hibernation. The
// precise reading is needed: that of GetTickCount64 moves in steps of 16 ms, by which
// gaps would come out short. Windows has no name for a boot.
func system() Sources {
	precise := windows.NewLazySystemDLL("kernelbase.dll").NewProc("QueryInterruptTimePrecise")
	if precise.Find() != nil {
		return Sources{Wall: time.Now, Boot: windows.DurationSinceBoot}
	}
	return Sources{Wall: time.Now, Boot: func() time.Duration {
		var ticks uint64 // of 100 ns
		precise.Call(uintptr(unsafe.Pointer(&ticks)))
		return time.Duration(ticks) * 100
	}}
}
