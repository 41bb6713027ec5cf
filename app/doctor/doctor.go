// Package doctor looks at everything a node keeps, says in plain words what is
// wrong with it, and repairs what can be.
//
// It works on the files of a node that does not run: while it works, it holds the store as a
// node does, so that none can start. Beside a node that runs it
// changes nothing and looks only at what needs no store.
//
// Each repair is one transaction of the store or the replacement of one file,
// so that a run that was killed leaves nothing that the next one cannot go on
// from. With DryRun nothing is changed at all, and the files may be read-only.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// ErrNothing is returned where no node has ever run.
var ErrNothing = errors.New("no node has run here yet")

// Options say what to look at.
type Options struct {
	Paths config.Paths
	// DryRun says that nothing is changed.
	DryRun bool
	// Thorough looks up every note of a payload in the archive, not a sample.
	Thorough bool
	// Reindex says that the search index is made again, whether it is whole or not. DryRun counts more.
	Reindex bool
	// ArchiveWithin is how long the archive is looked at, 0 until all of it was; what was not looked at then is
	// told.
	ArchiveWithin time.Duration
	// Sense, if not nil, has the sensors looked at, which takes some seconds, and says where they read; its zero
	// value is this computer.
	Sense *sense.Options
	// Lang is the language of the report.
	Lang string
}

// Verdict is a word for how something is.
type Verdict string

const (
	OK       Verdict = "ok"
	Repaired Verdict = "repaired"
	Problem  Verdict = "problem" // wrong, and it remains so
)

// Finding is one thing found.
type Finding struct {
	// Verdict is OK for what is only worth knowing.
	Verdict Verdict `json:"verdict"`
	// Text is a sentence or more, for people.
	Text string `json:"text"`
}

// Area is one part of what a node keeps.
type Area struct {
	// Name is "settings", "mine", "files", "disk", "sensors", "node", "archive", "index", "store" or "frontier".
	Name string `json:"name"`
	// Verdict is the worst of the findings.
	Verdict Verdict `json:"verdict"`
	// Summary says in a few words what there is.
	Summary  string    `json:"summary"`
	Findings []Finding `json:"findings"`
	// Lang is the language of the texts.
	Lang string `json:"-"`
}

// Report is what was found.
type Report struct {
	// OK says that nothing is wrong, or nothing any more.
	OK bool `json:"ok"`
	// DryRun says that nothing was changed.
	DryRun bool `json:"dry_run"`
	// Running says that the files are in use, so that not all could be looked at.
	Running bool `json:"running"`
	// Areas are in the order in which they were looked at.
	Areas []Area `json:"areas"`
}

// Problems counts the findings that remain.
func (r *Report) Problems() (n int) {
	for _, a := range r.Areas {
		for _, f := range a.Findings {
			if f.Verdict == Problem {
				n++
			}
		}
	}
	return n
}

// Run looks at everything. The error is one of ctx, or ErrNothing; what is wrong with
// the files is in the report.
func Run(ctx context.Context, opts Options) (Report, error) {
	d := &doctor{opts: opts, paths: opts.Paths, settings: config.Defaults()}
	if !d.ranOnce() {
		return Report{}, fmt.Errorf("%w (%s)", ErrNothing, opts.Paths.State)
	}
	node := d.hold()
	defer d.release()
	for _, look := range []func(context.Context) *Area{
		d.lookAtSettings, d.lookAtOwnSites, d.lookAtFiles, d.lookAtDisk, d.lookAtSensors,
		func(context.Context) *Area { return node }, d.lookAtArchive, d.lookAtIndex, d.lookAtStore,
		d.lookAtFrontier,
	} {
		a := look(ctx)
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		if a != nil {
			d.areas = append(d.areas, *a)
		}
	}
	r := Report{DryRun: opts.DryRun, Running: d.running, Areas: d.areas}
	r.OK = r.Problems() == 0
	return r, nil
}

// doctor is one run.
type doctor struct {
	opts     Options
	paths    config.Paths
	settings config.Config
	areas    []Area

	running bool
	release func() // lets nodes start again
	sound   bool   // the store can be opened
}

// ranOnce reports whether there is anything to look at.
func (d *doctor) ranOnce() bool {
	for _, path := range []string{d.paths.Config, d.store(), d.paths.WARC()} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

func (d *doctor) store() string { return d.paths.Store() }

// hold keeps nodes from starting, and finds out whether one runs.
func (d *doctor) hold() *Area {
	a := d.area("node")
	d.release = func() {}
	release, err := storage.Hold(d.store())
	if !errors.Is(err, storage.ErrLocked) {
		a.Summary = d.say("said.doctor.not-running", nil)
		if err == nil {
			// Closing what was open for reading can lose nothing.
			d.release = func() { _ = release() }
		}
		return a // what is wrong with the store is told with the store
	}
	d.running = true
	node, err := client.Dial(d.paths.State)
	if err != nil {
		a.Summary = d.say("said.doctor.not-to-be-reached", nil)
		a.problem(words.New("said.doctor.the-store-is-in-use-but", words.Args{"error": err}))
		return a
	}
	// It answered a moment ago; if it does no more, it is ending.
	status, err := node.Status(context.Background())
	if err != nil {
		a.Summary = d.say("said.doctor.not-to-be-reached", nil)
		a.problem(words.New("said.doctor.the-node-stopped-answering-try-again", words.Args{"error": err}))
		return a
	}
	a.Summary = d.say("said.doctor.running-process", words.Args{"pid": strconv.Itoa(status.PID)}) + ", " +
		status.State.In(d.opts.Lang)
	a.note(words.New("said.doctor.a-node-is-running-here-so", nil))
	return a
}

func (d *doctor) area(name string) *Area {
	return &Area{Name: name, Verdict: OK, Findings: []Finding{}, Lang: d.opts.Lang}
}

// say returns a text in the language of the report.
func (d *doctor) say(key string, args words.Args) string { return words.Text(d.opts.Lang, key, args) }

// note adds what is worth knowing.
func (a *Area) note(what error) { a.add(OK, what) }

// problem adds what is wrong and remains so.
func (a *Area) problem(what error) {
	a.Verdict = Problem
	a.add(Problem, what)
}

// repaired adds what was wrong.
func (a *Area) repaired(what error) {
	if a.Verdict == OK {
		a.Verdict = Repaired
	}
	a.add(Repaired, what)
}

func (a *Area) add(v Verdict, what error) {
	a.Findings = append(a.Findings, Finding{Verdict: v, Text: words.In(a.Lang, what)})
}

// fixable adds what could be repaired and was not.
func (a *Area) fixable(d *doctor, fault error) {
	if d.running {
		a.problem(words.New("said.doctor.forage-doctor-repairs-this-when-the", words.Args{"fault": fault}))
		return
	}
	a.problem(words.New("said.doctor.forage-doctor-without-dry-run-repairs", words.Args{"fault": fault}))
}

// hands reports whether files may be changed.
func (d *doctor) hands() bool { return !d.opts.DryRun && !d.running }
