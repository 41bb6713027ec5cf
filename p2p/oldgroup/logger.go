package oldgroup

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
)

// raftLogger gives what Raft says to a slog.Logger. What Raft calls a warning is
// everyday life.
type raftLogger struct{ log *slog.Logger }

func (l raftLogger) say(level slog.Level, text func() string) {
	if l.log.Enabled(context.Background(), level) {
		l.log.Log(context.Background(), level, "Raft speaks", "text", text())
	}
}

func (l raftLogger) sayf(level slog.Level, format string, v []any) {
	l.say(level, func() string { return fmt.Sprintf(format, v...) })
}

func (l raftLogger) Debug(v ...any) {
	l.say(slog.LevelDebug, func() string { return fmt.Sprint(v...) })
}
func (l raftLogger) Debugf(format string, v ...any)   { l.sayf(slog.LevelDebug, format, v) }
func (l raftLogger) Info(v ...any)                    { l.Debug(v...) }
func (l raftLogger) Infof(format string, v ...any)    { l.Debugf(format, v...) }
func (l raftLogger) Warning(v ...any)                 { l.Debug(v...) }
func (l raftLogger) Warningf(format string, v ...any) { l.Debugf(format, v...) }
func (l raftLogger) Error(v ...any)                   { l.say(slog.LevelWarn, func() string { return fmt.Sprint(v...) }) }
func (l raftLogger) Errorf(format string, v ...any)   { l.sayf(slog.LevelWarn, format, v) }
func (l raftLogger) Fatal(v ...any)                   { l.Panic(v...) }
func (l raftLogger) Fatalf(format string, v ...any)   { l.Panicf(format, v...) }
func (l raftLogger) Panic(v ...any)                   { panic(fmt.Sprint(v...)) }
func (l raftLogger) Panicf(format string, v ...any)   { panic(fmt.Sprintf(format, v...)) }

// guard runs fn, a call into Raft, which panics on what a member should not have sent,
// and on what a disk should not have returned. The panic is returned as an error.
func guard(log *slog.Logger, fn func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			log.Error("Raft stumbled", "err", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("raft: %w", p)
		case error:
			err = fmt.Errorf("raft: %w", p)
		default:
			err = fmt.Errorf("raft: %v", p)
		}
	}()
	fn()
	return nil
}
