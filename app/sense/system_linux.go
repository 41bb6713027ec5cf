package sense

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/forage-net/forage/app/sense/bus"
	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/machine"
)

func (h *Hub) systemSources() systemSources {
	session, system := bus.Session(h.opts.host()), bus.System(h.opts.host())
	h.closers = append(h.closers, session.Close, system.Close)
	nm := system.Service(nmName, "/org/freedesktop/NetworkManager", nmName)
	upower := system.Service("org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.UPower")
	sys, proc := h.opts.Sys, h.opts.Proc
	stat := func() (all, busy float64, err error) { return machine.ReadCPU(proc) }
	return systemSources{
		input:     h.desktopInput(session, system),
		idleLocks: []ladder.Source[Inhibition]{listening("logind", logind(system), logindLock)},
		filmLocks: filmLockSources(session),
		power: []ladder.Source[Power]{
			{Name: "sysfs", Run: h.sysfsPower},
			listening("UPower", upower, upowerPower),
		},
		metered: []ladder.Source[Metered]{
			listening("NetworkManager", nm, nmMetered),
			ladder.Polled("sysfs", linkEvery, func() (Metered, error) { return machine.ReadMetered(sys, proc) }),
		},
		link: []ladder.Source[Link]{
			listening("NetworkManager", nm, nmLink),
			ladder.Polled("sysfs", linkEvery, func() (Link, error) { return machine.ReadLink(sys, proc) }),
		},
		fullScreen: []ladder.Source[bool]{{Name: "X11", Run: h.x11FullScreen}},
		apps:       []ladder.Source[[]string]{{Name: "proc", Run: h.procApps}},
		otherCPU:   []ladder.Source[float64]{{Name: "proc", Run: h.sampleCPU(stat)}},
		heat: []ladder.Source[Heat]{
			ladder.Polled("hwmon", heatEvery, func() (Heat, error) { return machine.ReadChipHeat(sys) }),
			ladder.Polled("thermal zones", heatEvery, func() (Heat, error) { return machine.ReadZoneHeat(sys) }),
		},
		fan: []ladder.Source[bool]{
			ladder.Polled("hwmon", heatEvery, func() (bool, error) { return machine.ReadFanLoud(sys) }),
		},
		sleep:   []ladder.Source[Sleep]{{Name: "logind", Run: h.logindSleep(system)}},
		network: []ladder.Source[uint64]{{Name: "netlink", Run: h.countNetwork(networkEvery, true)}},
	}
}

func clocks() (boot, awake func() time.Duration) {
	return clock(unix.CLOCK_BOOTTIME), clock(unix.CLOCK_MONOTONIC)
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
func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID)() }
