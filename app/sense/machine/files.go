package machine

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// maxValue bounds a file that holds one value.
const maxValue = 4 << 10

// ReadFile reads a file that is small, or fails.
func ReadFile(name string, most int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(b) > most {
		return nil, words.New("said.sensor.read-more-than-bytes", words.Args{"name": name, "most": most})
	}
	return b, nil
}

// readValue reads a file of one value, as those of sysfs; "" if there is none.
func readValue(name string) string {
	b, err := ReadFile(name, maxValue)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// readNumber reads a file of one number.
func readNumber(name string) (int64, bool) {
	n, err := strconv.ParseInt(readValue(name), 10, 64)
	return n, err == nil
}

// names lists a directory, or as much of it as fits.
func names(dir string, most int) (list []string, all bool, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	list, err = d.Readdirnames(most + 1)
	if errors.Is(err, io.EOF) {
		err = nil // it is empty
	}
	return list[:min(len(list), most)], len(list) <= most, err
}
