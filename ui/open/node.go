package open

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

const (
	// nodeWait is how long a node may take until it answers: a large store is read and brought up to date before.
	nodeWait = time.Minute
	// answerWait is how long one that runs may take. It makes way for all other programs: while they keep the computer
	// busy, a call of a few seconds may not be enough.
	answerWait = 20 * time.Second
	// look is how often it is looked whether something has come.
	look = 50 * time.Millisecond
	// exitRunning is what a node ends with when another one has the store: one that was started at the same moment.
	exitRunning = 5
)

// EndedError says that a program ended instead of doing what it was started for.
type EndedError struct {
	// Code is what it ended with, -1 for a signal.
	Code int
	// Reason is what it said, "" if nothing.
	Reason string
	// Log is the file with all it said.
	Log string
}

func (e *EndedError) Error() string { return e.In(words.English) }

// In says it in a language. A reason is in the language of the program that ended.
func (e *EndedError) In(lang string) string {
	if e.Reason == "" {
		return words.Text(lang, "said.open.ended-at-once", words.Args{"code": e.Code, "path": e.Log})
	}
	return e.Reason
}

// Dial is client.Dial for a node that may be slow to answer.
func Dial(ctx context.Context, stateDir string) (*client.Client, error) {
	for end := time.Now().Add(answerWait); ; {
		node, err := client.Dial(stateDir)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || time.Now().After(end) {
			return node, err
		}
	}
}

// Node makes sure that a node runs and answers. If none does it is started in the background, where it goes on for
// itself: "forage run --await-consent --any-port", with its log in the file NodeLog of the state directory. A node that
// ends instead is an EndedError. It reports whether it started one.
func Node(ctx context.Context, w Where) (started bool, err error) {
	if err := os.MkdirAll(w.StateDir, 0o700); err != nil {
		return false, words.New("said.settings.create-directory", words.Args{"error": err})
	}
	ctx, cancel := context.WithTimeout(ctx, nodeWait)
	defer cancel()
	if _, err = Dial(ctx, w.StateDir); !errors.Is(err, api.ErrNotRunning) {
		return false, err // nil for one that runs
	}
	defer lock(ctx, w.StateDir)()
	if _, err = Dial(ctx, w.StateDir); !errors.Is(err, api.ErrNotRunning) {
		return false, err
	}
	p, err := w.startNode()
	if err != nil {
		return false, words.New("said.open.start-node", words.Args{"error": err})
	}
	defer p.log.Close()
	return w.awaitNode(ctx, p)
}

// startNode starts a node without waiting for it.
func (w Where) startNode() (*program, error) {
	path := w.Program
	if path == "" {
		var err error
		if path, err = find(nodeProgram, nodeVariable); err != nil {
			return nil, err
		}
	}
	logFile := filepath.Join(w.StateDir, NodeLog)
	return w.launch(path, logFile, w.args("run", "--await-consent", "--any-port", "--log", logFile)...)
}

// program is one that was started.
type program struct {
	log   *Log
	from  int64 // where in the log its words begin
	ended chan int
}

// launch starts a program in the background that writes to a log.
func (w Where) launch(path, logFile string, args ...string) (*program, error) {
	log, err := OpenLog(logFile)
	if err != nil {
		return nil, err
	}
	p := &program{log: log, ended: make(chan int, 1)}
	if info, err := log.File().Stat(); err == nil {
		p.from = info.Size()
	}
	cmd := exec.Command(path, args...) // not with a context: it outlives us
	cmd.Stderr = log.File()
	cmd.Dir = w.StateDir // it shall not hold the directory that we are in
	detach(cmd)
	if err := w.start(cmd); err != nil {
		log.Close()
		return nil, err
	}
	go func() { // so that it leaves nothing behind while we live
		_ = cmd.Wait() // the error says no more than the code
		p.ended <- cmd.ProcessState.ExitCode()
	}()
	return p, nil
}

// end is the error of a program that ended.
func (p *program) end(code int) error {
	file := p.log.File().Name()
	why := reason(p.log.File(), p.from)
	if err := tryWrite(filepath.Dir(file)); why == "" && err != nil {
		why = err.Error() // neither could it say so
	}
	return &EndedError{Code: code, Reason: why, Log: file}
}

// tryWrite returns what is in the way of a file that is to be written to a directory, as a full disk.
func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, durable.Temporary)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 4096)) // a block: less may fit into what is there
	return errors.Join(err, f.Close())
}

// awaitNode waits until the node answers, or one that was faster. It is always an answer of a node that runs.
func (w Where) awaitNode(ctx context.Context, p *program) (started bool, err error) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	started = true
	for {
		if _, err = client.Dial(w.StateDir); err == nil {
			return started, nil
		}
		select {
		case code := <-p.ended:
			if code != exitRunning {
				return false, p.end(code)
			}
			started = false
		case <-ticker.C:
		case <-ctx.Done():
			if ctx.Err() == context.DeadlineExceeded {
				return started, words.New("said.open.no-answer-yet",
					words.Args{"path": p.log.File().Name(), "error": err})
			}
			return started, ctx.Err()
		}
	}
}
