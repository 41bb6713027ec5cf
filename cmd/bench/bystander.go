package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/forage-net/forage/app/priority"
)

// bystanderVerb makes bench a process that does nothing but answer, with the priority of a node: what its answers take,
// the computer takes.
const bystanderVerb = "bystander"

// bystand answers until stdin ends, and says first where.
func bystand(stdin io.Reader, stdout, stderr io.Writer) int {
	if err := priority.Lower(nil); err != nil {
		fmt.Fprintln(stderr, "bystander: not lowered:", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(stderr, "bystander:", err)
		return exitUnmeasured
	}
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }),
	}
	go func() {
		io.Copy(io.Discard, stdin)
		server.Close()
	}()
	fmt.Fprintln(stdout, listener.Addr())
	server.Serve(listener)
	return exitRight
}

// startBystander starts one and returns how to ask it. end ends it.
func startBystander(ctx context.Context) (page *dashboard, end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find the bystander: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, bystanderVerb)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the bystander: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the bystander: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the bystander: %w", err)
	}
	end = func() {
		stdin.Close()
		cmd.Wait() // how it ended says nothing
	}
	line, err := bufio.NewReader(io.LimitReader(stdout, 1<<10)).ReadString('\n')
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("the bystander did not say where it is: %w", err)
	}
	return &dashboard{base: "http://" + strings.TrimSpace(line), client: &http.Client{Timeout: time.Minute}}, end, nil
}
