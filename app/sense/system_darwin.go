package sense

import (
	"context"
	"errors"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/forage-net/forage/app/sense/local"
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

var (
	addrIOServiceMatching               uintptr
	addrIOServiceGetMatchingService     uintptr
	addrIORegistryEntryCreateCFProperty uintptr
	addrIOObjectRelease                 uintptr
	addrIOPSCopyPowerSourcesInfo        uintptr
	addrIOPSGetProvidingPowerSourceType uintptr
	addrCFStringCreateWithCString       uintptr
	addrCFStringGetCString              uintptr
	addrCFNumberGetValue                uintptr
	addrCFRelease                       uintptr
	addrMachHostSelf                    uintptr
	addrHostStatistics                  uintptr
)

const utf8Encoding = 0x08000100

func (h *Hub) systemSources() systemSources {
	return systemSources{
		input:    []source[Input]{{"IOKit", h.macInput}},
		power:    []source[Power]{{"IOKit", macPower}},
		otherCPU: []source[float64]{{"Mach", h.sampleCPU(h.macTimes())}},
		none:     "Forage cannot tell on macOS yet",
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
		return errors.New("there is no IOHIDSystem")
	}
	defer library(addrIOObjectRelease, service)
	idle := []byte("HIDIdleTime\x00")
	key := library(addrCFStringCreateWithCString, 0, uintptr(unsafe.Pointer(&idle[0])), utf8Encoding)
	runtime.KeepAlive(idle)
	if key == 0 {
		return errors.New("out of memory")
	}
	defer library(addrCFRelease, key)
	read := func(context.Context) (Input, error) {
		number := library(addrIORegistryEntryCreateCFProperty, service, key, 0, 0)
		if number == 0 {
			return Input{}, errors.New("it has no HIDIdleTime")
		}
		defer library(addrCFRelease, number)
		const int64Type = 4
		var ns int64
		if ok := library(addrCFNumberGetValue, number, int64Type, uintptr(unsafe.Pointer(&ns))); ok&0xff == 0 {
			return Input{}, local.ErrAbsurd
		}
		return inputAt(h.opts.Now(), time.Duration(ns))
	}
	return poll(ctx, read, report, nil, h.opts.inputDue)
}

func macPower(ctx context.Context, report func(Power)) error {
	read := func(context.Context) (Power, error) {
		info := library(addrIOPSCopyPowerSourcesInfo)
		if info == 0 {
			return Power{}, errors.New("it does not tell")
		}
		defer library(addrCFRelease, info)
		kind := library(addrIOPSGetProvidingPowerSourceType, info) // not ours to release
		if kind == 0 {
			return Power{}, errors.New("it does not tell")
		}
		b := make([]byte, 64)
		ok := library(addrCFStringGetCString, kind, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), utf8Encoding)
		if ok&0xff == 0 {
			return Power{}, local.ErrAbsurd
		}
		return Power{OnBattery: unix.ByteSliceToString(b) != "AC Power", Percent: -1}, nil
	}
	return poll(ctx, read, report, nil, each[Power](powerAlone))
}

// macTimes reads the ticks of all processors: user, system, idle, nice. They wrap around.
func (h *Hub) macTimes() func() (cpuTimes, error) {
	var last [4]uint32
	var sum [4]float64
	return func() (t cpuTimes, err error) {
		const cpuLoad = 3
		var now [4]uint32
		count := uint32(len(now))
		host := library(addrMachHostSelf)
		if r := library(addrHostStatistics, host, cpuLoad, uintptr(unsafe.Pointer(&now[0])),
			uintptr(unsafe.Pointer(&count))); uint32(r) != 0 {
			return t, errors.New("it does not tell")
		}
		for i := range now {
			sum[i] += float64(now[i]-last[i]) / ticks
			t.all += sum[i]
		}
		last = now
		t.busy = t.all - sum[2]
		own, err := h.opts.OwnCPU()
		t.own = own.Seconds()
		return t, err
	}
}

// clocks are the raw one, which counts sleep on macOS, and the one of the processors' uptime.
func clocks() (boot, awake func() time.Duration) {
	of := func(id int32) func() time.Duration {
		return func() time.Duration {
			var ts unix.Timespec
			if err := unix.ClockGettime(id, &ts); err != nil {
				return 0
			}
			return time.Duration(ts.Nano())
		}
	}
	return of(unix.CLOCK_MONOTONIC_RAW), of(unix.CLOCK_UPTIME_RAW)
}
