package sense

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// appsEvery is how often processes are listed, so that work has ended two seconds after a program began; it
	// is less often where that takes more than one appsPart of a processor, but as often as appsSlow at least.
	appsEvery = time.Second
	appsSlow  = 10 * time.Second
	appsPart  = 1000
	// appsCalmly takes the place of appsEvery while there is no work that would have to end, appsNone while no
	// program is looked for.
	appsCalmly = 2 * time.Second
	appsNone   = time.Minute
	// maxApps bounds the names that are looked for.
	maxApps = 64
	// maxProcesses bounds the processes of a list.
	maxProcesses = 32 << 10
	// A process may become another program shortly after its start, so it is looked at a few times; after
	// that its number may have been given to another one, so all are looked at again from time to time.
	looksAtNew   = 10
	rounds       = 240
	maxCommand   = 1 << 10
	commandShown = 15 // bytes of a name that the kernel keeps
)

// procApps looks for named programs among the processes.
func (h *Hub) procApps(ctx context.Context, report func([]string)) error {
	hint, stop := h.asked.listen()
	defer stop()
	s := appScan{proc: h.opts.Proc}
	var cost scanCost
	read := func(context.Context) ([]string, error) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		began := threadTime()
		defer func() { cost.add(threadTime() - began) }()
		return s.scan(h.wanted.Load().Apps)
	}
	every := func([]string) time.Duration { return h.opts.appsDue(len(h.wanted.Load().Apps), time.Duration(cost)) }
	return poll(ctx, read, report, hint, every)
}

// appsDue is how long processes need not be listed, of which a number of programs is looked for and a list of
// which takes cost of a processor. Who asks for other programs says so.
func (o Options) appsDue(programs int, cost time.Duration) time.Duration {
	least := appsEvery
	switch {
	case programs == 0:
		return appsNone
	case o.Calm != nil && o.Calm():
		least = appsCalmly
	}
	return min(max(appsPart*cost, least), appsSlow)
}

// scanCost is what a list of processes costs of late, as processor time. One that looks at all processes again
// costs more, and hardly counts.
type scanCost time.Duration

func (c *scanCost) add(took time.Duration) {
	if *c == 0 || took < time.Duration(*c)*5/4 {
		*c = scanCost(took)
		return
	}
	*c = *c * 5 / 4
}

// appScan remembers what processes are, so that only new ones need be read.
type appScan struct {
	proc  string
	names []string
	seen  map[int]look
	round int
}

// look is what is known of a process.
type look struct {
	times uint8
	app   int16 // index into the names, or -1
	round int
}

// scan returns those of the names that run, sorted.
func (s *appScan) scan(names []string) ([]string, error) {
	if len(names) == 0 {
		s.seen = nil
		return nil, nil
	}
	if s.round++; s.round%rounds == 0 || !slices.Equal(names, s.names) {
		s.seen = nil
	}
	if s.seen == nil {
		s.seen = make(map[int]look)
	}
	s.names = names
	list, err := s.processes()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, pid := range list {
		l := s.seen[pid]
		if l.times < looksAtNew {
			l.app, l.times = int16(s.match(pid)), l.times+1
		}
		l.round = s.round
		s.seen[pid] = l
		if l.app >= 0 && !slices.Contains(found, names[l.app]) {
			found = append(found, names[l.app])
		}
	}
	for pid, l := range s.seen {
		if l.round != s.round {
			delete(s.seen, pid)
		}
	}
	slices.Sort(found)
	return found, nil
}

func (s *appScan) processes() (list []int, err error) {
	entries, all, err := names(s.proc, maxProcesses)
	if err != nil {
		return nil, err
	}
	if !all {
		return nil, fmt.Errorf("more than %d processes run", maxProcesses)
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e); err == nil {
			list = append(list, pid)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("it shows no processes")
	}
	return list, nil
}

// match returns which of the names a process has, or -1. Processes may end at any time.
func (s *appScan) match(pid int) int {
	dir := filepath.Join(s.proc, strconv.Itoa(pid))
	short := readValue(filepath.Join(dir, "comm"))
	if short == "" {
		return -1
	}
	for i, n := range s.names {
		if sameApp(n, short) || len(short) == commandShown && strings.HasPrefix(appName(n), appName(short)) {
			if len(short) < commandShown || sameApp(n, command(dir)) {
				return i
			}
		}
	}
	// Wine and the like show another name, or none of use.
	if long := command(dir); long != "" {
		return slices.IndexFunc(s.names, func(n string) bool { return sameApp(n, long) })
	}
	return -1
}

// command is the base of the first argument of a process, which Windows programs write with backslashes.
func command(dir string) string {
	f, err := os.Open(filepath.Join(dir, "cmdline"))
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, maxCommand)
	n, err := f.Read(b)
	if err != nil {
		return ""
	}
	arg, _, _ := bytes.Cut(b[:n], []byte{0})
	s := string(arg)
	return s[strings.LastIndexAny(s, `/\`)+1:]
}

func sameApp(a, b string) bool { return a != "" && appName(a) == appName(b) }

// appName forgives case and the ending of Windows programs.
func appName(s string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), ".exe")
}
