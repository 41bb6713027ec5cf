package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// launchVerb makes bench a launcher: a process that does nothing but start the
// program to be measured and report what it used. On Linux the peak memory of a
// process counts that of whoever started it, because between vfork and exec
// they are the same memory; the one that serves the web would be 100 MB
// beyond the truth, the launcher is smaller than any node.
const launchVerb = "launch"

// profileVariable asks forage for a CPU profile.
const profileVariable = "FORAGE_CPUPROFILE"

const (
	// childLasts bounds a crawl: 100,000 pages at 60 pages/s.
	childLasts = 30 * time.Minute
	// childEnds is how long a child that is told to stop may take to.
	childEnds = 15 * time.Second
	// keptOutput is how much of what the child last said an error quotes.
	keptOutput = 2 << 10
)

// usage is what one process used from start to end.
type usage struct {
	Began  time.Time     `json:"began"`
	User   time.Duration `json:"user"`
	System time.Duration `json:"system"`
	Wall   time.Duration `json:"wall"`
	// MaxRSS is the peak of its resident memory in bytes, 0 where the system
	// does not say.
	MaxRSS int64 `json:"max_rss"`
	// Err says how it failed, "" if it ended well.
	Err string `json:"err,omitempty"`
}

// runChild runs a program to its end by way of a launcher and returns what it
// used. A program that fails is an error, with what it said last.
func runChild(ctx context.Context, env []string, program string, args ...string) (usage, error) {
	ctx, cancel := context.WithTimeout(ctx, childLasts)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return usage{}, fmt.Errorf("find the launcher: %w", err)
	}
	var out bytes.Buffer
	said := &tail{max: keptOutput}
	cmd := stoppable(ctx, self, append([]string{launchVerb, program}, args...))
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = &out, said
	if err := cmd.Run(); err != nil {
		return usage{}, fmt.Errorf("launch %s: %w%s", program, err, said.quote())
	}
	var u usage
	if err := json.Unmarshal(out.Bytes(), &u); err != nil {
		return usage{}, fmt.Errorf("read the launcher's report: %w", err)
	}
	if u.Err != "" {
		return u, fmt.Errorf("%s: %s%s", program, u.Err, said.quote())
	}
	return u, nil
}

// launch runs a program and writes its usage to stdout as JSON. All that the
// program says goes to stderr.
func launch(ctx context.Context, command []string, stdout, stderr io.Writer) int {
	cmd := stoppable(ctx, command[0], command[1:])
	cmd.Stdout, cmd.Stderr = stderr, stderr
	start := time.Now()
	err := cmd.Run()
	u := usage{Began: start, Wall: time.Since(start)}
	if cmd.ProcessState == nil {
		fmt.Fprintln(stderr, err)
		return exitUnmeasured
	}
	if err != nil {
		u.Err = err.Error()
	}
	u.User, u.System = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	u.MaxRSS = maxRSS(cmd.ProcessState)
	if err := json.NewEncoder(stdout).Encode(u); err != nil {
		fmt.Fprintln(stderr, err)
		return exitUnmeasured
	}
	return exitRight
}

// stoppable returns a command that is interrupted when ctx is done, so that it
// can end in order, and killed if it does not.
func stoppable(ctx context.Context, program string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = childEnds
	return cmd
}

// childEnv returns the environment for a child: ours, except for a profile only if
// there is a name for it.
func childEnv(profile string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, profileVariable+"=") })
	if profile != "" {
		env = append(env, profileVariable+"="+profile)
	}
	return env
}

// tail is a writer that keeps the last max bytes.
type tail struct {
	max  int
	kept []byte
}

// Write implements io.Writer; it takes everything.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.max):]...)
	t.kept = t.kept[max(0, len(t.kept)-t.max):]
	return len(p), nil
}

// quote returns what was kept for the end of an error.
func (t *tail) quote() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "�"))
	if text == "" {
		return ""
	}
	return "; it said last:\n" + text
}
