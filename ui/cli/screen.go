package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

const (
	liveEvery  = 500 * time.Millisecond // between two redraws of a live line
	plainEvery = 10 * time.Second       // between two lines where there is no terminal
	plainMost  = time.Minute            // the same while nothing changes
)

// screen shows a line that changes in place below the log, or, where there is
// no terminal, plain lines.
type screen struct {
	out, log io.Writer
	width    func() int // 0 where out is no terminal

	mu   sync.Mutex
	line string
}

func newScreen(out, log io.Writer) *screen {
	s := &screen{out: out, log: log, width: func() int { return 0 }}
	if f, ok := terminalBehind(out); ok {
		s.out, s.width = f, func() int { return columnsOf(f) }
	}
	return s
}

func (s *screen) live() bool { return s.width() > 0 }

// Write prints a line of the log above the live line.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live() && s.line != "" {
		fmt.Fprint(s.out, "\r\x1b[K")
		defer fmt.Fprint(s.out, s.line)
	}
	return s.log.Write(p)
}

// show replaces the live line, or prints a plain one.
func (s *screen) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = printable(text)
	width := s.width()
	if width == 0 {
		fmt.Fprintln(s.out, text)
		return
	}
	s.line = clip(text, width-1)
	fmt.Fprint(s.out, "\r\x1b[K"+s.line)
}

// finish leaves the live line where it is.
func (s *screen) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != "" {
		fmt.Fprintln(s.out)
		s.line = ""
	}
}

// showProgress shows what a node does until ctx is done. Where there is no terminal it looks less often
// while nothing changes.
func showProgress(ctx context.Context, node api.Node, s *screen) {
	every := plainEvery
	if s.live() {
		every = liveEvery
	}
	p := nodeText{node: node}
	last := ""
	for {
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
			timer.Stop()
			s.show(p.text(context.WithoutCancel(ctx)))
			s.finish()
			return
		case <-timer.C:
		}
		text := p.text(ctx)
		s.show(text)
		if !s.live() {
			every = plainEvery
			if text == last {
				every = plainMost
			}
			last = text
		}
	}
}

// nodeText is what a node does, in a line, in the language of the context; it remembers what was shown.
type nodeText struct {
	node  api.Node
	since uint64
	title string
}

func (p *nodeText) text(ctx context.Context) string {
	lang := language(api.Lang(ctx))
	st, err := p.node.StatusIn(ctx, lang.of())
	if err != nil {
		return lang.text("line.unknown", words.Args{"error": lang.said(err.Error())})
	}
	p.readTitles()
	parts := []string{
		lang.text("line.pages", words.Args{"pages": st.PagesSession}), lang.text("line.rate", words.Args{"rate": lang.rate(st.PagesPerS)}),
		lang.text("line.domains", words.Args{"domains": st.Domains}), lang.bytes(st.BytesReceived), lang.text("line.queued", words.Args{"queued": st.Queued}),
	}
	switch {
	case st.State != api.StateWorking:
		parts = append(parts, joined(lang.word("state", string(st.State)), because(st.Reasons)))
	case p.title != "":
		parts = append(parts, p.title)
	}
	return strings.Join(parts, " · ")
}

// readTitles finds the title of the page fetched last.
func (p *nodeText) readTitles() {
	const batch = 1000
	for {
		events, next, _ := p.node.Events(p.since, batch)
		for _, e := range events {
			if e.Kind == api.KindPage && e.Title != "" {
				p.title = printable(e.Title) + " (" + e.Domain + ")"
			}
		}
		p.since = next
		if len(events) < batch {
			return
		}
	}
}

// printable takes out of what sites wrote what a terminal would obey, line feeds and tabs
// included.
func printable(s string) string { return strings.Map(harmless, s) }
