//go:build !windows

package frontier

import "syscall"

// passing are errors of a disk that may pass.
var passing = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.ENOMEM}
