package sense

import (
	"context"
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32   = windows.NewLazySystemDLL("user32.dll")
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")
	shell32  = windows.NewLazySystemDLL("shell32.dll")

	procGetLastInputInfo     = user32.NewProc("GetLastInputInfo")
	procGetTickCount         = kernel32.NewProc("GetTickCount")
	procGetSystemPowerStatus = kernel32.NewProc("GetSystemPowerStatus")
	procGetSystemTimes       = kernel32.NewProc("GetSystemTimes")
	procQueryUnbiased        = kernel32.NewProc("QueryUnbiasedInterruptTime")
	procNotificationState    = shell32.NewProc("SHQueryUserNotificationState")
)

func (h *Hub) systemSources() systemSources {
	return systemSources{
		input:      []source[Input]{{"Windows", h.windowsInput}},
		power:      []source[Power]{{"Windows", windowsPower}},
		fullScreen: []source[bool]{{"Windows", windowsFullScreen}},
		otherCPU:   []source[float64]{{"Windows", h.sampleCPU(h.windowsTimes)}},
		none:       "Forage cannot tell on Windows yet",
	}
}

// call calls a function that returns 0 where it fails.
func call(p *windows.LazyProc, args ...uintptr) error {
	if err := p.Find(); err != nil {
		return err
	}
	if r, _, err := p.Call(args...); r == 0 {
		return os.NewSyscallError(p.Name, err)
	}
	return nil
}

func (h *Hub) windowsInput(ctx context.Context, report func(Input)) error {
	read := func(context.Context) (Input, error) {
		info := struct{ size, ticks uint32 }{size: 8}
		if err := call(procGetLastInputInfo, uintptr(unsafe.Pointer(&info))); err != nil {
			return Input{}, err
		}
		now, _, _ := procGetTickCount.Call()
		// Both wrap around after 49 days. The input may be newer than the count.
		idle := int32(uint32(now) - info.ticks)
		if idle < 0 && idle > -1000 {
			idle = 0
		}
		return inputAt(h.opts.Now(), time.Duration(uint32(idle))*time.Millisecond)
	}
	return poll(ctx, read, report, nil, h.opts.inputDue)
}

func windowsPower(ctx context.Context, report func(Power)) error {
	read := func(context.Context) (Power, error) {
		var s struct {
			line, flag, percent, saver byte
			left, full                 uint32
		}
		if err := call(procGetSystemPowerStatus, uintptr(unsafe.Pointer(&s))); err != nil {
			return Power{}, err
		}
		const noBattery, unknown = 128, 255
		p := Power{OnBattery: s.line == 0, Percent: -1}
		if s.percent <= 100 && s.flag&noBattery == 0 {
			p.Percent = int(s.percent)
		}
		if s.line == unknown && s.flag&noBattery == 0 {
			return p, errors.New("it does not know either")
		}
		return p, nil
	}
	return poll(ctx, read, report, nil, each[Power](powerAlone))
}

// windowsFullScreen asks whether this is a moment to disturb the user.
func windowsFullScreen(ctx context.Context, report func(bool)) error {
	read := func(context.Context) (bool, error) {
		if err := procNotificationState.Find(); err != nil {
			return false, err
		}
		var state uint32
		if r, _, _ := procNotificationState.Call(uintptr(unsafe.Pointer(&state))); r != 0 {
			return false, errors.New("it does not know")
		}
		const busy, game, presentation = 2, 3, 4
		return state == busy || state == game || state == presentation, nil
	}
	return poll(ctx, read, report, nil, each[bool](2*time.Second))
}

// windowsTimes reads the times of the processors; that of the kernel includes idle time.
func (h *Hub) windowsTimes() (t cpuTimes, err error) {
	var idle, kernel, user windows.Filetime
	err = call(procGetSystemTimes, uintptr(unsafe.Pointer(&idle)), uintptr(unsafe.Pointer(&kernel)),
		uintptr(unsafe.Pointer(&user)))
	if err != nil {
		return t, err
	}
	t.all = seconds(kernel) + seconds(user)
	t.busy = t.all - seconds(idle)
	own, err := h.opts.OwnCPU()
	t.own = own.Seconds()
	return t, err
}

// seconds of a duration of 100 ns.
func seconds(f windows.Filetime) float64 {
	return float64(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime)) / 1e7
}

func ownCPU() (time.Duration, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0, os.NewSyscallError("GetProcessTimes", err)
	}
	return time.Duration((seconds(kernel) + seconds(user)) * float64(time.Second)), nil
}

// DiskSpace returns the room on the disk that holds a directory.
func DiskSpace(dir string) (Space, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return Space{}, err
	}
	var avail, size, all uint64
	if err := windows.GetDiskFreeSpaceEx(path, &avail, &size, &all); err != nil {
		return Space{}, &os.PathError{Op: "GetDiskFreeSpaceEx", Path: dir, Err: err}
	}
	return Space{Free: int64(avail), Total: int64(size)}, nil
}

func clocks() (boot, awake func() time.Duration) {
	if procQueryUnbiased.Find() != nil {
		return windows.DurationSinceBoot, windows.DurationSinceBoot
	}
	return windows.DurationSinceBoot, func() time.Duration {
		var ticks uint64 // of 100 ns
		procQueryUnbiased.Call(uintptr(unsafe.Pointer(&ticks)))
		return time.Duration(ticks) * 100
	}
}
