//go:build !linux && !darwin && !windows

package priority

import (
	"errors"
	"fmt"
	"runtime"
)

func lower(*Launcher) error {
	return fmt.Errorf("lower priority on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func restore() error { return nil }
