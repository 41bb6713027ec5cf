package machine

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// ticks of the kernel's counts are hundredths of a second on every architecture.
const ticks = 100

// ReadCPU returns the seconds since an unknown point that all processors have had, and those that they were busy.
func ReadCPU(proc string) (all, busy float64, err error) {
	b, err := ReadFile(filepath.Join(proc, "stat"), 1<<20)
	if err != nil {
		return 0, 0, err
	}
	return parseStat(b)
}

// parseStat reads the first line: user, nice, system, idle, waiting, interrupts, soft interrupts, stolen. What
// is waited for or stolen is not used by a program here; guests are within user.
func parseStat(b []byte) (all, busy float64, err error) {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	f := strings.Fields(string(line))
	if len(f) < 5 || f[0] != "cpu" {
		return 0, 0, words.New("said.sensor.it-has-no-line-of-all", nil)
	}
	for i, s := range f[1:min(len(f), 9)] {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return 0, 0, words.New("said.sensor.its-counts-are-no-numbers", nil)
		}
		v := float64(n) / ticks
		all += v
		switch i {
		case 3, 4, 7:
		default:
			busy += v
		}
	}
	return all, busy, nil
}
