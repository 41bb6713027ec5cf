package scale

import (
	"os"
	"strconv"
	"strings"
)

// writtenBytes returns how many bytes this process has given to the system to
// write, 0 where the system does not say.
func writtenBytes() int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "wchar: "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}
