package open

import (
	"io"
	"os"
	"strings"
)

// maxReason is how much of the end of a log is looked at, in bytes.
const maxReason = 16 << 10

// reason returns the line of a log, from a place on, that says why a program ended: the first of a crash, else the last
// complaint, else the last line. It is "" if nothing was written.
func reason(log *os.File, from int64) string {
	info, err := log.Stat()
	if err != nil {
		return ""
	}
	from = max(from, info.Size()-maxReason)
	if info.Size() < from {
		from = 0 // it was emptied meanwhile
	}
	text, err := io.ReadAll(io.NewSectionReader(log, from, maxReason))
	if err != nil {
		return ""
	}
	return reasonIn(string(text))
}

func reasonIn(text string) string {
	last, complaint := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: "):
			return line
		case strings.HasPrefix(line, nodeProgram+": ") || strings.HasPrefix(line, windowProgram+": "):
			_, complaint, _ = strings.Cut(line, ": ")
		}
		last = line
	}
	if complaint != "" {
		return complaint
	}
	return last
}
