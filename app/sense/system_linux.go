package sense

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func (h *Hub) systemSources() systemSources {
	session := newBus(&h.opts, h.opts.sessionAddress)
	system := newBus(&h.opts, h.opts.systemAddress)
	h.closers = append(h.closers, session.close, system.close)
	return systemSources{
		input:      h.desktopInput(session, system),
		idleLocks:  idleLockSources(system),
		filmLocks:  filmLockSources(session),
		power:      []source[Power]{{"sysfs", h.sysfsPower}, upowerSource(system)},
		metered:    []source[Metered]{nmMetered(system), {"sysfs", h.sysfsMetered}},
		link:       []source[Link]{nmLink(system), {"sysfs", h.sysfsLink}},
		fullScreen: []source[bool]{{"X11", h.x11FullScreen}},
		apps:       []source[[]string]{{"proc", h.procApps}},
		otherCPU:   []source[float64]{{"proc", h.sampleCPU(h.procTimes)}},
		heat:       []source[Heat]{{"hwmon", h.chipHeat}, {"thermal zones", h.zoneHeat}},
		fan:        []source[bool]{{"hwmon", h.fanLoud}},
		sleep:      []source[Sleep]{{"logind", h.logindSleep(system)}},
		network:    []source[uint64]{{"netlink", h.kernelNetwork}},
	}
}

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
	return of(unix.CLOCK_BOOTTIME), of(unix.CLOCK_MONOTONIC)
}

// openRoutes opens a socket that tells of links, addresses and routes.
func openRoutes() (io.ReadCloser, error) {
	return openNetlink(unix.NETLINK_ROUTE, unix.RTMGRP_LINK|unix.RTMGRP_IPV4_IFADDR|unix.RTMGRP_IPV6_IFADDR|
		unix.RTMGRP_IPV4_ROUTE|unix.RTMGRP_IPV6_ROUTE)
}

// openDevices opens a socket that tells of devices.
func openDevices() (io.ReadCloser, error) { return openNetlink(unix.NETLINK_KOBJECT_UEVENT, 1) }

func openNetlink(protocol int, groups uint32) (io.ReadCloser, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups}); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("bind", err)
	}
	return netlink{os.NewFile(uintptr(fd), "netlink")}, nil
}

type netlink struct{ *os.File }

func (n netlink) Read(p []byte) (int, error) {
	k, err := n.File.Read(p)
	if errors.Is(err, unix.ENOBUFS) {
		err = errLost
	}
	return k, err
}

// threadTime is the processor time that this thread has used.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
