//go:build unix

package app

import "golang.org/x/sys/unix"

// diskSpace returns what is free for us on the disk that holds a directory, and its size, in bytes.
func diskSpace(dir string) (free, total int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), nil
}
