//go:build !linux

package sense

import (
	"errors"
	"io"
	"time"
)

var errNotHere = errors.New("this system has none")

func openRoutes() (io.ReadCloser, error) { return nil, errNotHere }

func openDevices() (io.ReadCloser, error) { return nil, errNotHere }

// threadTime is not known here; no processes are listed either.
func threadTime() time.Duration { return 0 }
