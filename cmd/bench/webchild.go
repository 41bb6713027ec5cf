package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/forage-net/forage/app/demo"
)

// webVerb makes bench a process that serves the practice web and nothing else, behind all other processes where the
// system can do that: the web stands for computers elsewhere, and what serving costs is not to keep the node from
// the processor. In the process of the dashboards, with a higher priority than the node's, it would.
const webVerb = "web"

// maxWebSaid bounds what such a process says of its web, in bytes.
const maxWebSaid = 1 << 20

// webChild is a practice web of another process.
type webChild struct {
	Hosts string `json:"hosts"`
	Start string `json:"start"` // URL
	cmd   *exec.Cmd
	stdin io.Closer
}

// serveWeb serves a practice web, made by options in JSON, until stdin ends. It says first where.
func serveWeb(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if err := beLast(); err != nil {
		fmt.Fprintln(stderr, "web: it has the priority of other programs:", err)
	}
	if err := serveWebUntil(ctx, args, stdin, stdout); err != nil {
		fmt.Fprintln(stderr, "web:", err)
		return exitUnmeasured
	}
	return exitRight
}

func serveWebUntil(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) (err error) {
	var o demo.Options
	if len(args) != 1 {
		return fmt.Errorf("want options, got %q", args)
	}
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return fmt.Errorf("read options: %w", err)
	}
	web, err := demo.Start(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	if err := web.Warm(ctx); err != nil {
		return fmt.Errorf("warm the practice web: %w", err)
	}
	if err := json.NewEncoder(stdout).Encode(webChild{Hosts: web.Hosts(), Start: web.StartURL()}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, stdin)
	return err
}

// startWeb starts such a process and returns when its web is served.
func startWeb(ctx context.Context, o demo.Options) (*webChild, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the practice web: %w", err)
	}
	options, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, webVerb, string(options))
	said := &tail{max: keptOutput}
	cmd.Stderr = said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the practice web: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the practice web: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the practice web: %w", err)
	}
	w := &webChild{cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(io.LimitReader(stdout, maxWebSaid)).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, w)
	}
	if err != nil {
		return nil, fmt.Errorf("the practice web did not say where it is: %w%s", errors.Join(err, w.Close()), said.quote())
	}
	return w, nil
}

// Close ends it.
func (w *webChild) Close() error {
	w.stdin.Close()
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("end the practice web: %w", err)
	}
	return nil
}
