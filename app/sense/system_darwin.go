package sense

import (
	"context"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// Libraries of the system are called as golang.org/x/sys calls its: bound by the linker, through
// trampolines in libraries_darwin.s, without a C compiler.

//go:linkname librarySyscall6 syscall.syscall6
func librarySyscall6(fn, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err unix.Errno)

//go:cgo_import_dynamic sense_IOServiceMatching IOServiceMatching "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit"
//go:cgo_import_dynamic sense_IOServiceGetMatchingService IOServiceGetMatchingService "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit"
//go:cgo_import_dynamic sense_IORegistryEntryCreateCFProperty IORegistryEntryCreateCFProperty "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit"
//go:cgo_import_dynamic sense_IOObjectRelease IOObjectRelease "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit"
//go:cgo_import_dynamic sense_IOPSCopyPowerSourcesInfo IOPSCopyPowerSourcesInfo "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit"
//go:cgo_import_dynamic sense_IOPSGetProvidingPowerSourceType IOPSGetProvidingPowerSourceType "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit"
//go:cgo_import_dynamic sense_CFStringCreateWithCString CFStringCreateWithCString "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"
//go:cgo_import_dynamic sense_CFStringGetCString CFStringGetCString "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"
//go:cgo_import_dynamic sense_CFNumberGetValue CFNumberGetValue "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"
//go:cgo_import_dynamic sense_CFRelease CFRelease "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"
//go:cgo_import_dynamic sense_mach_host_self mach_host_self "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic sense_host_statistics host_statistics "/usr/lib/libSystem.B.dylib"

var addrIOServiceMatching, addrIOServiceGetMatchingService, addrIORegistryEntryCreateCFProperty,
	addrIOObjectRelease, addrIOPSCopyPowerSourcesInfo, addrIOPSGetProvidingPowerSourceType,
	addrCFStringCreateWithCString, addrCFStringGetCString, addrCFNumberGetValue,
	addrCFRelease, addrMachHostSelf, addrHostStatistics uintptr

const utf8Encoding = 0x08000100

func (h *Hub) systemSources() systemSources {
	return systemSources{
		input:    []ladder.Source[Input]{{Name: "IOKit", Run: h.macInput}},
		power:    []ladder.Source[Power]{ladder.Polled("IOKit", powerAlone, macPower)},
		otherCPU: []ladder.Source[float64]{{Name: "Mach", Run: h.sampleCPU(macTimes())}},
		none:     words.New("said.sensor.forage-cannot-tell-on-macos-yet", nil),
	}
}

// library calls a function that takes pointers and integers.
func library(fn uintptr, args ...uintptr) uintptr {
	var a [6]uintptr
	copy(a[:], args)
	r, _, _ := librarySyscall6(fn, a[0], a[1], a[2], a[3], a[4], a[5])
	return r
}

// macInput asks the system of input devices, which tells nanoseconds.
func (h *Hub) macInput(ctx context.Context, report func(Input)) error {
	name := []byte("IOHIDSystem\x00")
	service := library(addrIOServiceGetMatchingService, 0,
		library(addrIOServiceMatching, uintptr(unsafe.Pointer(&name[0]))))
	runtime.KeepAlive(name)
	if uint32(service) == 0 {
		return words.New("said.sensor.there-is-no-iohidsystem", nil)
	}
	defer library(addrIOObjectRelease, service)
	idle := []byte("HIDIdleTime\x00")
	key := library(addrCFStringCreateWithCString, 0, uintptr(unsafe.Pointer(&idle[0])), utf8Encoding)
	runtime.KeepAlive(idle)
	if key == 0 {
		return words.New("said.sensor.out-of-memory", nil)
	}
	defer library(addrCFRelease, key)
	return h.watchIdle(ctx, func(context.Context) (time.Duration, error) {
		number := library(addrIORegistryEntryCreateCFProperty, service, key, 0, 0)
		if number == 0 {
			return 0, words.New("said.sensor.it-has-no-hididletime", nil)
		}
		defer library(addrCFRelease, number)
		const int64Type = 4
		var ns int64
		if ok := library(addrCFNumberGetValue, number, int64Type, uintptr(unsafe.Pointer(&ns))); ok&0xff == 0 {
			return 0, local.ErrAbsurd
		}
		return time.Duration(ns), nil
	}, report)
}

func macPower() (Power, error) {
	info := library(addrIOPSCopyPowerSourcesInfo)
	if info == 0 {
		return Power{}, words.New("said.sensor.it-does-not-tell", nil)
	}
	defer library(addrCFRelease, info)
	kind := library(addrIOPSGetProvidingPowerSourceType, info) // not ours to release
	if kind == 0 {
		return Power{}, words.New("said.sensor.it-does-not-tell", nil)
	}
	b := make([]byte, 64)
	ok := library(addrCFStringGetCString, kind, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), utf8Encoding)
	if ok&0xff == 0 {
		return Power{}, local.ErrAbsurd
	}
	return Power{OnBattery: unix.ByteSliceToString(b) != "AC Power", Percent: -1}, nil
}

// macTimes reads the ticks of all processors, which are hundredths of a second: user, system, idle, nice. They wrap
// around.
func macTimes() func() (all, busy float64, err error) {
	var last [4]uint32
	var sum [4]float64
	return func() (all, busy float64, err error) {
		const cpuLoad = 3
		var now [4]uint32
		count := uint32(len(now))
		host := library(addrMachHostSelf)
		if r := library(addrHostStatistics, host, cpuLoad, uintptr(unsafe.Pointer(&now[0])),
			uintptr(unsafe.Pointer(&count))); uint32(r) != 0 {
			return 0, 0, words.New("said.sensor.it-does-not-tell", nil)
		}
		for i := range now {
			sum[i] += float64(now[i]-last[i]) / 100
			all += sum[i]
		}
		last = now
		return all, all - sum[2], nil
	}
}

// clocks are the raw one, which counts sleep on macOS, and the one of the processors' uptime.
func clocks() (boot, awake func() time.Duration) {
	return clock(unix.CLOCK_MONOTONIC_RAW), clock(unix.CLOCK_UPTIME_RAW)
}
