package resident

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxMaps bounds what is read of the list of mappings, in bytes.
const maxMaps = 4 << 20

// Drop unmaps the pages of this process's program file that were read and never written. It returns how many bytes
// that were at most. An error means that nothing, or not all of it, was unmapped.
func Drop() (int64, error) {
	program, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("look for the program: %w", err)
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0, fmt.Errorf("look at the memory of this process: %w", err)
	}
	defer f.Close()
	list, err := parse(io.LimitReader(f, maxMaps), program)
	if err != nil {
		return 0, err
	}
	var bytes int64
	var errs []error
	for _, m := range list {
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, m.begin, m.end-m.begin, unix.MADV_DONTNEED); errno != 0 {
			errs = append(errs, fmt.Errorf("unmap the text of the program: %w", errno))
			continue
		}
		bytes += m.resident
	}
	return bytes, errors.Join(errs...)
}

// mapping is a part of the address space.
type mapping struct {
	begin, end uintptr
	resident   int64 // bytes
	clean      bool  // it was said that nothing in it was ever written
}

// parse returns the mappings of a file, in the form of proc_pid_smaps(5), that nothing can be written to, and of which
// no page was written before that: such a page would be lost.
func parse(r io.Reader, file string) (list []mapping, err error) {
	var m *mapping
	var kept, swapped bool
	end := func() {
		if m != nil && kept && swapped && m.clean {
			list = append(list, *m)
		}
		m, kept, swapped = nil, false, false
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		name, value := strings.CutSuffix(fields[0], ":")
		if !value {
			end()
			m = mappingOf(fields, file)
			continue
		}
		if m == nil || len(fields) < 2 {
			continue
		}
		kb, err := strconv.ParseInt(fields[1], 10, 40)
		if err != nil {
			continue
		}
		switch name {
		case "Rss":
			m.resident = kb << 10
		case "Anonymous":
			kept, m.clean = true, m.clean && kb == 0
		case "Swap":
			swapped, m.clean = true, m.clean && kb == 0
		}
	}
	end()
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the list of mappings: %w", err)
	}
	return list, nil
}

// mappingOf reads the first line of a mapping; nil if it is not of the file, or can be written to.
func mappingOf(fields []string, file string) *mapping {
	if len(fields) != 6 || fields[5] != file || len(fields[1]) != 4 || fields[1][1] != '-' || fields[1][3] != 'p' {
		return nil
	}
	from, to, is := strings.Cut(fields[0], "-")
	begin, err := strconv.ParseUint(from, 16, strconv.IntSize)
	end, err2 := strconv.ParseUint(to, 16, strconv.IntSize)
	if !is || err != nil || err2 != nil || begin >= end {
		return nil
	}
	return &mapping{begin: uintptr(begin), end: uintptr(end), clean: true}
}
