package machine

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

const (
	// maxProcesses bounds the processes of a list.
	maxProcesses = 32 << 10
	// A process may become another program shortly after its start, so it is looked at a few times; after
	// that its number may have been given to another one, so all are looked at again from time to time.
	looksAtNew   = 10
	rounds       = 240
	maxCommand   = 1 << 10
	commandShown = 15 // bytes of a name that the kernel keeps
)

// Apps finds programs among the processes. It remembers what they are, so that only new ones need be read.
type Apps struct {
	Proc string // the root of proc

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

// Scan returns those of the names that run, sorted.
func (s *Apps) Scan(names []string) ([]string, error) {
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
	maps.DeleteFunc(s.seen, func(_ int, l look) bool { return l.round != s.round })
	slices.Sort(found)
	return found, nil
}

func (s *Apps) processes() (list []int, err error) {
	entries, all, err := names(s.Proc, maxProcesses)
	if err != nil {
		return nil, err
	}
	if !all {
		return nil, words.New("said.sensor.more-than-processes-run", words.Args{"most": maxProcesses})
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e); err == nil {
			list = append(list, pid)
		}
	}
	if len(list) == 0 {
		return nil, words.New("said.sensor.it-shows-no-processes", nil)
	}
	return list, nil
}

// match returns which of the names a process has, or -1. Processes may end at any time.
func (s *Apps) match(pid int) int {
	dir := filepath.Join(s.Proc, strconv.Itoa(pid))
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
