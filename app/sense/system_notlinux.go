//go:build !linux

package sense

import (
	"io"
	"time"

	"github.com/forage-net/forage/assets/words"
)

var errNotHere = words.New("said.sensor.this-system-has-none", nil)

func openRoutes() (io.ReadCloser, error) { return nil, errNotHere }

func openDevices() (io.ReadCloser, error) { return nil, errNotHere }

// threadTime is not known here; no processes are listed either.
func threadTime() time.Duration { return 0 }
