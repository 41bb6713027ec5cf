package start

import (
	"context"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/language"
)

const (
	liveEvery  = 500 * time.Millisecond // between two redraws of a live line
	plainEvery = 10 * time.Second       // between two lines where there is no terminal
	plainMost  = time.Minute            // the same while nothing changes
)

// showProgress shows what a node does until ctx is done. Where there is no terminal it looks less often
// while nothing changes.
func showProgress(ctx context.Context, node api.Node, s *console.Screen) {
	every := plainEvery
	if s.Live() {
		every = liveEvery
	}
	p := nodeText{node: node}
	last := ""
	for {
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
			timer.Stop()
			s.Show(p.text(context.WithoutCancel(ctx)))
			s.Finish()
			return
		case <-timer.C:
		}
		text := p.text(ctx)
		s.Show(text)
		if !s.Live() {
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
	lang := language.Language(api.Lang(ctx))
	st, err := p.node.StatusIn(ctx, lang.Of())
	if err != nil {
		return lang.Text("line.unknown", words.Args{"error": lang.Said(err)})
	}
	p.readTitles()
	parts := []string{
		lang.Text("line.pages", words.Args{"pages": st.PagesSession}),
		lang.Text("line.rate", words.Args{"rate": lang.Rate(st.PagesPerS)}),
		lang.Text("line.domains", words.Args{"domains": st.Domains}), lang.Bytes(st.BytesReceived),
		lang.Text("line.queued", words.Args{"queued": st.Queued}),
	}
	switch {
	case st.State != api.StateWorking:
		parts = append(parts, language.Joined(lang.Word("state", string(st.State)), language.Because(st.Reasons)))
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
				p.title = console.Printable(e.Title) + " (" + e.Domain + ")"
			}
		}
		p.since = next
		if len(events) < batch {
			return
		}
	}
}
