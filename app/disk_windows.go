package app

import "golang.org/x/sys/windows"

// diskSpace returns what is free for us on the disk that holds a directory, and its size, in bytes.
func diskSpace(dir string) (free, total int64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var avail, size, all uint64
	err = windows.GetDiskFreeSpaceEx(path, &avail, &size, &all)
	return int64(avail), int64(size), err
}
