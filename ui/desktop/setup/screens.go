package setup

import (
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// plainScreen is one that nothing changes on.
type plainScreen struct {
	o     fyne.CanvasObject
	begin fyne.Focusable
}

func (s *plainScreen) content() fyne.CanvasObject { return s.o }
func (s *plainScreen) update()                    {}
func (s *plainScreen) focused() fyne.Focusable    { return s.begin }
func (s *plainScreen) fault(string)               {}

// newLoadingScreen stands in for one that needs what the node has not answered yet.
func (p *Page) newLoadingScreen() setupScreen {
	return &plainScreen{o: p.page(p.d.T("loading"), nil, p.acts())}
}

func (p *Page) newWelcomeScreen() setupScreen {
	d := p.d
	var how []fyne.CanvasObject
	for i, key := range []string{"share", "ask", "gap", "map", "stop"} {
		number := widget.NewLabel(d.Number(int64(i+1)) + ".")
		how = append(how, container.NewBorder(nil, nil, container.NewVBox(number), nil,
			texts.Prose(d.T("first.how."+key))))
	}
	next := p.onward(d.T("first.next"), p.next)
	return &plainScreen{p.page(d.T("first.welcome"), []fyne.CanvasObject{
		texts.Lead(d.T("first.what")), texts.Lead(d.T("first.keep")), texts.Prose(d.T("first.nothing")),
		controls.NewUnfolding(d.T("first.how"), false, container.New(layout.NewCustomPaddedVBoxLayout(-6), how...)),
	}, p.acts(next)), next}
}

// seenScreen says what others see, and asks whose the connection is.
type seenScreen struct {
	plainScreen
	p     *Page
	box   *controls.TickBox
	wrong *widget.Label
	text  *fyne.Container
	frame *boxes.Surface
}

// The shapes are those of the dashboard.
var sights = []struct{ name, shape string }{
	{"sites", `M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18`},
	{"helpers", `M8 11a3 3 0 1 0 0-.01M16 11a3 3 0 1 0 0-.01M3 19c0-3 2-5 5-5s5 2 5 5M13 15c3-2 8 0 8 4`},
	{"provider", `M5 18h14M7 18v-5h10v5M12 13V9M8 8a5.5 5.5 0 0 1 8 0M5.5 5.5a9 9 0 0 1 13 0`},
}

func (p *Page) newSeenScreen() setupScreen {
	d := p.d
	s := &seenScreen{p: p, wrong: controls.NewFault(), text: container.NewVBox()}
	rows := []fyne.CanvasObject{}
	for _, sight := range sights {
		rows = append(rows, container.NewBorder(nil, nil,
			container.NewCenter(boxes.Pad(6, controls.Sized(controls.LineIcon{Shape: sight.shape, Width: 1.7,
				Tint: theme.ColorNamePrimary}, 28))), nil,
			texts.Prose(d.T("first.seen."+sight.name))))
	}
	s.box = controls.NewTickBox(d.T("first.mine"), func(on bool) {
		p.mine = on
		if on {
			s.fault("")
		}
	})
	s.box.Checked, s.box.Enter = p.mine, s.next
	s.frame = boxes.NewSurface(look.Card, theme.ColorNameInputBorder, 10,
		boxes.Pad(4, container.New(layout.NewCustomPaddedVBoxLayout(-4), s.box, s.wrong)))
	next := p.onward(d.T("first.agree"), s.next)
	s.begin = s.box
	if p.mine {
		s.begin = next
	}
	s.update()
	rows = append(rows, texts.Prose(d.T("first.never")),
		controls.NewUnfolding(d.T("first.whose"), false, texts.Prose(d.T("first.whose.text"))),
		texts.Strong(d.T("first.text", "title", p.is.Consent.Title)),
		boxes.Edge(boxes.NewSurface(look.Card, theme.ColorNameSeparator, 10, boxes.Pad(6, s.text))))
	s.o = p.page(d.T("first.seen"), rows, container.New(layout.NewCustomPaddedLayout(0, 0, 8, 22), s.frame),
		texts.Fine(d.T("first.agreeing")), p.acts(next))
	return s
}

func (s *seenScreen) next() {
	if !s.p.mine {
		s.fault(s.p.d.T("first.mine.missing"))
		controls.Focus(s.box)
		return
	}
	s.p.agreed = s.p.is.Consent.Version
	s.p.next()
}

// update shows the text; a new one is to be read before it is agreed to.
func (s *seenScreen) update() {
	c := s.p.is.Consent
	var rows []fyne.CanvasObject
	for _, text := range append([]string{c.Note}, c.Text...) {
		if text != "" {
			rows = append(rows, texts.Prose(text))
		}
	}
	s.text.Objects = rows
	s.text.Refresh()
}

func (s *seenScreen) fault(text string) {
	controls.SetFault(s.wrong, text)
	s.box.Put(s.p.mine)
	s.frame.Line = theme.ColorNameInputBorder
	if text != "" {
		s.frame.Line = theme.ColorNameError
	}
	s.frame.Refresh()
}

// whenScreen asks when it may work.
type whenScreen struct {
	plainScreen
	p     *Page
	ids   []string
	cards []*controls.ChoiceCard
	list  *fyne.Container
	most  *widget.Label
	chips *fyne.Container
	asks  *fyne.Container
	asked []api.SetupQuestion            // those that are on the screen
	ticks map[string][]*controls.TickBox // by the keys of questions
	wrong *widget.Label
}

func (p *Page) newWhenScreen() setupScreen {
	d := p.d
	s := &whenScreen{p: p, most: texts.Prose(""), wrong: controls.NewFault(), list: container.NewVBox(),
		chips: container.New(&layouts.Flow{Gap: 6}), asks: container.NewVBox()}
	s.most.TextStyle.Bold = true
	next := p.onward(d.T("first.next"), p.next)
	s.present(next)
	s.update()
	s.o = p.page(d.T("first.when"), []fyne.CanvasObject{
		boxes.Edge(s.list), s.most, texts.Strong(d.T("first.facts")), boxes.Edge(s.chips), s.asks, s.wrong,
		texts.Fine(d.T("first.later")),
	}, p.acts(next))
	s.begin = next
	for i, id := range s.ids {
		if id == p.preset {
			s.begin = s.cards[i]
		}
	}
	return s
}

// present makes the cards. Where none of the presets is in force, the file says something else: then all may
// stay as it is.
func (s *whenScreen) present(next *controls.EnterButton) {
	d := s.p.d
	add := func(id, title, text string) {
		c := controls.NewChoiceCard(controls.ChoiceText(title, text), func() { s.choose(id) })
		c.Enter = next.OnTapped
		s.ids, s.cards = append(s.ids, id), append(s.cards, c)
		s.list.Add(c)
	}
	own := true
	for _, preset := range s.p.is.Presets {
		add(preset.ID, preset.Title, preset.Text)
		own = own && !preset.Chosen
	}
	if own {
		add("", d.T("first.own"), d.T("first.own.text"))
	}
	controls.ChooseOneOf(s.cards)
}

func (s *whenScreen) choose(id string) {
	s.p.preset, s.p.chosen = id, true
	s.update()
}

func (s *whenScreen) update() {
	p := s.p
	for i, id := range s.ids {
		s.cards[i].Put(id == p.preset)
	}
	most := ""
	for _, preset := range p.is.Presets {
		if preset.ID == p.preset {
			most = preset.Most
		}
	}
	texts.Set(s.most, most)
	boxes.Show(s.most, most != "")
	s.chips.Objects = nil
	for _, f := range p.is.Facts {
		s.chips.Add(factChip(f))
	}
	s.chips.Refresh()
	if !reflect.DeepEqual(p.is.Questions, s.asked) {
		s.ask()
	}
}

// factChip is one thing that was found out, or was not.
func factChip(f api.SetupFact) fyne.CanvasObject {
	ground, tint, shape := look.LeafPale, theme.ColorNamePrimary, "M12 11v7|M12 6v.5"
	if !f.Known {
		ground, tint, shape = look.SlatePale, look.Slate,
			"M7.5 8.5a4.5 4.5 0 1 1 6.8 3.9C12.8 13.3 12 14 12 15.5M12 20v.5"
	}
	mark := controls.Sized(controls.LineIcon{Shape: shape, Width: 2.6, Tint: tint}, 14)
	text := widget.NewLabel(f.Text)
	text.SizeName = theme.SizeNameCaptionText
	return boxes.NewSurface(ground, "", 14, container.New(layout.NewCustomPaddedLayout(-3, -3, 8, 2),
		container.New(layout.NewCustomPaddedHBoxLayout(0), container.NewCenter(mark), text)))
}

// ask makes the questions. What was answered stays so.
func (s *whenScreen) ask() {
	s.asked, s.ticks = s.p.is.Questions, map[string][]*controls.TickBox{}
	s.asks.Objects = nil
	for _, q := range s.asked {
		answer, answered := s.p.answers[q.Key]
		row := container.New(&layouts.Flow{Gap: 10})
		for _, c := range q.Choices {
			box := controls.NewTickBox(c.Text, func(bool) { s.answer(q) })
			box.Checked = c.On && !answered || slices.Contains(answer, c.Value)
			s.ticks[q.Key] = append(s.ticks[q.Key], box)
			row.Add(box)
		}
		if q.Title == "" {
			s.asks.Add(container.New(layout.NewCustomPaddedVBoxLayout(-6), row, texts.Fine(q.Text)))
			continue
		}
		s.asks.Add(controls.NewUnfolding(q.Title, answered, container.NewVBox(texts.Fine(q.Text), row)))
	}
	s.asks.Refresh()
}

// answer keeps what is ticked.
func (s *whenScreen) answer(q api.SetupQuestion) {
	list := []string{}
	for i, box := range s.ticks[q.Key] {
		if box.Checked {
			list = append(list, q.Choices[i].Value)
		}
	}
	s.p.answers[q.Key] = list
}

func (s *whenScreen) fault(text string) { controls.SetFault(s.wrong, text) }

// readyScreen is the last before anything is sent.
type readyScreen struct {
	plainScreen
	start, wait *controls.EnterButton
	starts      *controls.TickBox // nil where that is no question
	wrong       *widget.Label
}

func (p *Page) newReadyScreen() setupScreen {
	d := p.d
	s := &readyScreen{wrong: controls.NewFault()}
	s.start = p.onward(d.T("first.start"), func() { p.agree(true) })
	s.wait = controls.NewEnterButton(d.T("first.wait"), widget.MediumImportance, func() { p.agree(false) })
	rows := []fyne.CanvasObject{}
	for _, preset := range p.is.Presets {
		if preset.ID == p.preset {
			rows = append(rows, texts.Lead(d.T("first.chosen", "preset", preset.Title)))
		}
	}
	rows = append(rows, texts.Lead(d.T("first.ready.text")), texts.Prose(d.T("first.ready.stop")))
	if is := p.is.Startup; is.Possible && !is.On {
		s.starts = controls.NewTickBox(d.T("startup.name"), func(on bool) { p.starts = on })
		s.starts.Checked, s.starts.Enter = p.starts, s.start.OnTapped
		rows = append(rows, container.New(layout.NewCustomPaddedVBoxLayout(-6), s.starts,
			texts.Fine(d.T("startup.text"))))
	}
	rows = append(rows, s.wrong)
	s.o, s.begin = p.page(d.T("first.ready"), rows, p.acts(s.wait, s.start)), s.start
	return s
}

func (s *readyScreen) fault(text string) { controls.SetFault(s.wrong, text) }

func (s *readyScreen) hold(on bool) {
	for _, b := range []*controls.EnterButton{s.start, s.wait} {
		if on {
			b.Disable()
		} else {
			b.Enable()
		}
	}
	if on {
		s.fault("")
	}
}
