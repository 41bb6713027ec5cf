package sense

import (
	"context"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/assets/words"
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
		input:      []ladder.Source[Input]{{Name: "Windows", Run: h.windowsInput}},
		power:      []ladder.Source[Power]{ladder.Polled("Windows", powerAlone, windowsPower)},
		fullScreen: []ladder.Source[bool]{ladder.Polled("Windows", 2*time.Second, windowsFullScreen)},
		otherCPU:   []ladder.Source[float64]{{Name: "Windows", Run: h.sampleCPU(windowsTimes)}},
		none:       words.New("said.sensor.forage-cannot-tell-on-windows-yet", nil),
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
	return h.watchIdle(ctx, func(context.Context) (time.Duration, error) {
		info := struct{ size, ticks uint32 }{size: 8}
		if err := call(procGetLastInputInfo, uintptr(unsafe.Pointer(&info))); err != nil {
			return 0, err
		}
		now, _, _ := procGetTickCount.Call()
		// Both wrap around after 49 days. The input may be newer than the count.
		idle := int32(uint32(now) - info.ticks)
		if idle < 0 && idle > -1000 {
			idle = 0
		}
		return time.Duration(uint32(idle)) * time.Millisecond, nil
	}, report)
}

func windowsPower() (Power, error) {
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
		return p, words.New("said.sensor.it-does-not-know-either", nil)
	}
	return p, nil
}

// windowsFullScreen asks whether this is a moment to disturb the user.
func windowsFullScreen() (bool, error) {
	if err := procNotificationState.Find(); err != nil {
		return false, err
	}
	var state uint32
	if r, _, _ := procNotificationState.Call(uintptr(unsafe.Pointer(&state))); r != 0 {
		return false, words.New("said.sensor.it-does-not-know", nil)
	}
	const busy, game, presentation = 2, 3, 4
	return state == busy || state == game || state == presentation, nil
}

// windowsTimes reads the times of the processors; that of the kernel includes idle time.
func windowsTimes() (all, busy float64, err error) {
	var idle, kernel, user windows.Filetime
	err = call(procGetSystemTimes, uintptr(unsafe.Pointer(&idle)), uintptr(unsafe.Pointer(&kernel)),
		uintptr(unsafe.Pointer(&user)))
	all = seconds(kernel) + seconds(user)
	return all, all - seconds(idle), err
}

// seconds of a duration of 100 ns.
func seconds(f windows.Filetime) float64 {
	return float64(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime)) / 1e7
}

// OwnCPU returns the processor time that this process has used.
func OwnCPU() (time.Duration, error) {
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
