package durable

import (
	"fmt"
	"io"
	"os"
)

// ReadSmall reads a regular file of at most max bytes. It waits for no pipe.
func ReadSmall(file string, max int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = fmt.Errorf("%s is too long", file)
	}
	return data, err
}
