package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/cmd/bench/scale"
)

// scaleVerb makes bench the program to be measured: a process that has a frontier
// and nothing else. It reports after each stage on stdout and goes on when
// its stdin says so, so that its memory can be looked at from outside.
const scaleVerb = "scale"

const (
	// scaleLasts bounds a run: 10 million URLs at 700 a second.
	scaleLasts = 4 * time.Hour
	// sampleEvery is how often the memory of the child is looked at.
	sampleEvery = 50 * time.Millisecond
)

// stageMemory is a stage and the private memory of the child at its end and at
// most since its start, in bytes; 0 where the system does not say.
type stageMemory struct {
	scale.Stage
	RSSAnon     int64 `json:"rss_anon"`
	PeakRSSAnon int64 `json:"peak_rss_anon"`
}

// scaled is what one run showed.
type scaled struct {
	URLs   int           `json:"urls"`
	Stages []stageMemory `json:"stages"`
	*scale.Result
}

// message is what the child says: a stage, or last the result.
type message struct {
	Stage  *scale.Stage  `json:"stage,omitempty"`
	Result *scale.Result `json:"result,omitempty"`
}

// parseSizes reads numbers with commas between them.
func parseSizes(list string) (sizes []int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-scale %q is no list of numbers above 0", list)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// measureScale makes one run for each size. Progress goes to stderr.
func measureScale(ctx context.Context, o options, stderr io.Writer) (*scaleReport, error) {
	r := newScaleReport(o)
	for _, urls := range o.scale {
		fmt.Fprintf(stderr, "%d URLs in %d domains ...\n", urls, o.domains)
		run, err := scaleOnce(ctx, o, urls, stderr)
		if err != nil {
			return nil, fmt.Errorf("%d URLs: %w", urls, err)
		}
		r.Runs = append(r.Runs, *run)
	}
	r.judge()
	return r, nil
}

// scaleOnce lets a child make one run in a fresh directory.
func scaleOnce(ctx context.Context, o options, urls int, stderr io.Writer) (_ *scaled, err error) {
	ctx, cancel := context.WithTimeout(ctx, scaleLasts)
	defer cancel()
	dir, err := os.MkdirTemp("", "forage-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the store: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program to measure: %w", err)
	}
	cfg, err := json.Marshal(scale.Config{Dir: dir, URLs: urls, Domains: o.domains, Digests: o.digests, Paced: o.paced})
	if err != nil {
		return nil, err
	}
	cmd := stoppable(ctx, self, []string{scaleVerb, string(cfg)})
	if o.profile != "" {
		cmd.Env = childEnv(o.profile + "." + strconv.Itoa(urls))
	}
	said := &tail{max: keptOutput}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	run := &scaled{URLs: urls}
	listened := run.listen(out, in, watchMemory(ctx, cmd.Process.Pid), stderr)
	cancelled := ctx.Err()
	if listened != nil {
		cancel()
	}
	if err := errors.Join(cancelled, listened, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("%w%s", err, said.quote())
	}
	if run.Result == nil {
		return nil, errors.New("the child gave no result")
	}
	return run, nil
}

// listen takes down what the child reports until it says no more.
func (s *scaled) listen(out io.Reader, in io.WriteCloser, memory *memory, stderr io.Writer) error {
	defer in.Close()
	decoder := json.NewDecoder(bufio.NewReader(out))
	for {
		var m message
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read what the child reports: %w", err)
		}
		if m.Result != nil {
			s.Result = m.Result
		}
		if m.Stage == nil {
			continue
		}
		now, peak := memory.read()
		s.Stages = append(s.Stages, stageMemory{Stage: *m.Stage, RSSAnon: now, PeakRSSAnon: peak})
		fmt.Fprintf(stderr, "  %d known, %.0f MB of private memory, %.0f MB at most\n", m.Stage.Known, float64(now)/1e6, float64(peak)/1e6)
		if _, err := io.WriteString(in, "\n"); err != nil {
			return fmt.Errorf("let the child go on: %w", err)
		}
	}
}

// runScale is the child: it makes one run, as its argument says.
func runScale(ctx context.Context, arg string, stdin io.Reader, stdout, stderr io.Writer) int {
	if err := scaleChild(ctx, arg, stdin, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return exitUnmeasured
	}
	return exitRight
}

func scaleChild(ctx context.Context, arg string, stdin io.Reader, stdout io.Writer) error {
	var cfg scale.Config
	if err := json.Unmarshal([]byte(arg), &cfg); err != nil {
		return fmt.Errorf("read what to do: %w", err)
	}
	if name := os.Getenv(profileVariable); name != "" {
		file, err := os.Create(name)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	answers, reports := bufio.NewReader(stdin), json.NewEncoder(stdout)
	result, err := scale.Run(ctx, cfg, func(s scale.Stage) error {
		if err := reports.Encode(message{Stage: &s}); err != nil {
			return err
		}
		_, err := answers.ReadString('\n')
		return err
	})
	if err != nil {
		return err
	}
	return reports.Encode(message{Result: result})
}
