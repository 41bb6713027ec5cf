package tray

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"strings"
)

// quiet keeps complaints of the library, which it writes with package log, out of the user's sight: what of them
// matters is said once by us. That holds for the rest of the process's life: it may complain to its very end.
func quiet(to *slog.Logger) { log.SetOutput(complaints{to, log.Writer()}) }

// complaints sorts lines of package log.
type complaints struct {
	log  *slog.Logger
	rest io.Writer
}

func (c complaints) Write(line []byte) (int, error) {
	_, text, ours := strings.Cut(string(line), "systray error: ")
	if !ours && !bytes.Contains(line, []byte("Failed to read icon format")) {
		return c.rest.Write(line)
	}
	c.log.Debug("The desktop's tray complains", "error", strings.TrimSpace(text))
	return len(line), nil
}
