package frontier

import "syscall"

// passing are errors of a disk that may pass: ERROR_HANDLE_DISK_FULL and
// ERROR_DISK_FULL.
var passing = []error{syscall.Errno(39), syscall.Errno(112)}
