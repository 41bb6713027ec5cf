package driver

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// awakeClock goes by the interrupt time without sleep and hibernation, which moves in steps of up to 16 ms.
func awakeClock() func() time.Duration {
	unbiased := windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")
	if unbiased.Find() != nil {
		return sinceStart()
	}
	read := func() time.Duration {
		var ticks uint64 // of 100 ns
		unbiased.Call(uintptr(unsafe.Pointer(&ticks)))
		return time.Duration(ticks) * 100
	}
	start := read()
	return func() time.Duration { return read() - start }
}
