//go:build !windows

package start

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/term"
)

// onHangup calls reload at each SIGHUP, until the function that it returns is called. The context that
// it returns ends when the terminal is closed on which the node was started: that is told by the same
// signal, and who closes a terminal does not want to leave something behind.
func onHangup(ctx context.Context, reload func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	onTerminal := hasTerminal()
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
			}
			if onTerminal && !hasTerminal() {
				cancel()
				return
			}
			reload()
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
		<-ended
	}
}

// hasTerminal reports whether the process can see or be heard at a terminal; one that has been closed is none.
func hasTerminal() bool {
	return slices.ContainsFunc([]*os.File{os.Stdin, os.Stdout, os.Stderr},
		func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) })
}
