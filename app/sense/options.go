package sense

import (
	"context"
	"io"
	"net"
	"os"
	"time"

	"github.com/forage-net/forage/app/sense/local"
)

// Options say where things are. The zero value is this computer; tests put others in their place.
type Options struct {
	// Sys and Proc are the roots of sysfs and proc.
	Sys, Proc string
	// Getenv is os.Getenv: addresses of buses and displays come from the environment.
	Getenv func(string) string
	// Dial connects to a socket on this computer. A name that begins with @ is an abstract one.
	Dial func(ctx context.Context, name string) (net.Conn, error)
	// ReadFile is os.ReadFile for small files of the user: the keys of the display.
	ReadFile func(string) ([]byte, error)
	// Now is the clock that readings are dated with. It need not be the wall clock.
	Now func() time.Time
	// Calm, if set, says that nothing has to stop when somebody uses the computer: that is looked at half as often.
	Calm func() bool
	// Boot is a clock that counts suspend; Awake is one that does not.
	Boot, Awake func() time.Duration
	// OwnCPU is the processor time this process has used.
	OwnCPU func() (time.Duration, error)
	// RouteEvents and DeviceEvents open what the kernel tells of its changes by; each Read
	// returns one message.
	RouteEvents, DeviceEvents func() (io.ReadCloser, error)
	// Addresses returns something that differs when links or addresses do.
	Addresses func() (string, error)
	// Space returns the room on the disk of a directory.
	Space func(dir string) (Space, error)
}

func (o Options) withDefaults() Options {
	fill(&o.Sys, "/sys")
	fill(&o.Proc, "/proc")
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Dial == nil {
		o.Dial = local.Dial
	}
	if o.ReadFile == nil {
		o.ReadFile = func(name string) ([]byte, error) { return readFile(name, maxSmallFile) }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Boot == nil || o.Awake == nil {
		o.Boot, o.Awake = clocks()
	}
	if o.OwnCPU == nil {
		o.OwnCPU = ownCPU
	}
	if o.RouteEvents == nil {
		o.RouteEvents = openRoutes
	}
	if o.DeviceEvents == nil {
		o.DeviceEvents = openDevices
	}
	if o.Addresses == nil {
		o.Addresses = addresses
	}
	if o.Space == nil {
		o.Space = DiskSpace
	}
	return o
}

// host is where sockets are.
func (o *Options) host() local.Host {
	return local.Host{Getenv: o.Getenv, Dial: o.Dial, ReadFile: o.ReadFile}
}

func fill(s *string, v string) {
	if *s == "" {
		*s = v
	}
}
