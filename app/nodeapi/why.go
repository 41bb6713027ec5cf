package nodeapi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// noAnswer stands where a site has not said why.
var noAnswer = words.New("said.visit.no-answer", nil).Stored()

// whyWithin is how long the leader of a domain has to answer.
const whyWithin = 5 * time.Second

// Inquiry answers what became of an address. It implements api.Inquirer. It reads, and waits for other members on the
// goroutine of who asks.
type Inquiry struct {
	Ground
	Books  Books
	Member *membership.Member
	Driver *driver.Driver
	Joined func() bool // it is known who the other members are
	Now    func() time.Time
}

// Why implements api.Inquirer.
func (q *Inquiry) Why(ctx context.Context, text string) (api.Why, error) {
	return q.answer(ctx, text, q.standing)
}

// Ground is what decides about an address before anybody is asked.
type Ground struct {
	Refusals func() *scope.Refusals
	Scope    *scope.Scope
	Rules    *robots.Cache
	Identity crawl.Identity
	Calendar func() time.Time
	Stopped  bool // the node does not run, so it asks nobody
}

// answer says what became of an address that somebody typed. standing tells how a URL stands, and who says so: "" for
// this node.
func (g *Ground) answer(
	ctx context.Context, text string, standing func(context.Context, crawl.URL) (wire.WhyAnswer, string, error),
) (api.Why, error) {
	list := g.addressesOf(text)
	if len(list) == 0 {
		return api.Why{}, &api.InputError{Err: words.New("said.api.that-is-no-web-address", nil)}
	}
	a := answerWhy{Ground: g, lang: api.Lang(ctx)}
	for i, u := range list {
		s, owner, err := standing(ctx, u)
		if err != nil {
			return api.Why{}, err
		}
		if _, _, fresh := g.Rules.Get(g.Calendar(), u.Origin()); i == 0 || s.Known || fresh && !a.s.Known {
			a.u, a.s, a.owner = u, s, owner
		}
		if s.Known {
			break
		}
	}
	return a.make(), nil
}

// addressesOf returns what somebody may mean who typed an address: without a scheme it may have either.
func (g *Ground) addressesOf(text string) (list []crawl.URL) {
	text = strings.TrimSpace(text)
	texts := []string{text}
	if host, _, _ := strings.Cut(text, "/"); !strings.Contains(text, "://") && strings.Contains(host, "@") {
		return nil // an e-mail address
	} else if !strings.Contains(text, "://") {
		texts = []string{"https://" + text, "http://" + text}
	}
	for _, t := range texts {
		if u, err := crawl.ParseURL(t); err == nil {
			list = append(list, g.Identity.Of(u))
		}
	}
	return list
}

// standing returns how a URL stands with the leader of its domain, and who that is: "" for this node. Nobody is asked
// about what this node does not take, and Leads is false if nobody answers.
func (q *Inquiry) standing(ctx context.Context, u crawl.URL) (a wire.WhyAnswer, owner string, err error) {
	if a = q.here(u); a.Leads || q.Scope.Outside(u, 0) != scope.Inside {
		return a, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, whyWithin)
	defer cancel()
	if owner = q.leader(ctx, u.Domain()); owner == "" {
		return a, "", nil
	}
	for to := crawl.PeerID(owner); ; {
		ask := wire.Encode(&wire.WhyAsk{URL: u.String()})
		raw, err := q.Member.Node.Requests.Call(ctx, string(to), wire.KindWhy, ask)
		if err == nil {
			a, err = wire.Decode[wire.WhyAnswer](raw)
		}
		hint := crawl.PeerID(a.Hint)
		switch {
		case err == nil && a.Leads:
			return a, string(to), nil
		case err != nil || string(to) != owner || hint == to || !slices.Contains(q.Member.Owners(), hint):
			// one hint is followed, to a member
			return wire.WhyAnswer{}, owner, nil
		}
		to = hint
	}
}

// Handle answers another member. What it asks is read, whatever it is, and nothing comes of it.
func (q *Inquiry) Handle(ctx context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.WhyAsk](body)
	if err != nil {
		return nil, err
	}
	u, err := crawl.ParseURL(m.URL)
	if err != nil || u.String() != m.URL {
		return nil, errors.New("not a URL as it is written here")
	}
	a := q.here(u)
	if !a.Leads {
		a.Hint = q.leader(ctx, u.Domain())
	}
	if !slices.Contains(q.Member.Owners(), crawl.PeerID(from)) {
		toTheHour(&a)
	}
	return wire.Encode(&a), nil
}

// toTheHour leaves of the dates of visits what a stranger may learn.
func toTheHour(a *wire.WhyAnswer) {
	const hour = int64(time.Hour / time.Second)
	a.Date, a.Next = a.Date-a.Date%hour, a.Next-a.Next%hour
}

// leader returns who leads a domain as far as this node knows, "" if it does itself or nobody is known.
func (q *Inquiry) leader(ctx context.Context, d crawl.Domain) (leader string) {
	err := q.Driver.Do(ctx, func(g *group.Node) error {
		leader = string(g.Leader(d))
		return nil
	})
	if err != nil || leader == q.Member.Node.Self() {
		return "" // it rests, say
	}
	return leader
}

// here returns how a URL stands with this node.
func (q *Inquiry) here(u crawl.URL) wire.WhyAnswer {
	s, err := Read(q.Books, func(tx *storage.Tx) (frontier.Standing, error) { return q.Books.Frontier.Standing(tx, u) })
	if err != nil || !q.leads(u.Domain()) {
		return wire.WhyAnswer{}
	}
	_, leased := q.Books.live()[u.Domain()]
	return whyAnswerOf(s, leased, q.Now())
}

// whyAnswerOf puts how a URL stands into what members tell each other.
func whyAnswerOf(s frontier.Standing, leased bool, now time.Time) wire.WhyAnswer {
	unix := func(t time.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return max(t.Unix(), 0)
	}
	d := &s.Domain
	a := wire.WhyAnswer{
		Leads: true, Known: s.Known, Waits: s.Known && s.Page.Waits(), Result: s.Page.Result,
		Status: uint16(max(s.Page.Status, 0)), Date: unix(s.Page.Date), Next: unix(s.Page.Next), Depth: s.Page.Depth,
		Dropped: s.Dropped, By: uint8(s.By), Leased: leased, Retired: d.Retired, Troubled: d.Troubled,
		Queued: d.Queued, All: d.Known, Budget: d.Budget, Reason: wire.Short(d.Reason),
	}
	if wait := d.Next.Sub(now); !d.Next.IsZero() && wait > 0 {
		a.DueIn = uint32(min(wait, 400*24*time.Hour) / time.Second)
	}
	return a
}

// leads reports whether this node acts for a domain.
func (q *Inquiry) leads(d crawl.Domain) (leads bool) {
	if !q.Joined() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := q.Driver.Do(ctx, func(g *group.Node) error {
		leads, _ = g.Acts(d)
		return nil
	})
	return leads && err == nil
}

// answerWhy puts an answer into words.
type answerWhy struct {
	*Ground
	lang  string
	u     crawl.URL
	s     wire.WhyAnswer
	owner string
}

// whyLimits are the words for limits that keep a URL out, and the settings that change them.
var whyLimits = [...]struct{ verdict, setting string }{
	frontier.LimitBudget: {"budget", ""}, frontier.LimitForeign: {"budget", ""}, frontier.LimitShape: {"shape", ""},
	frontier.LimitFull: {"full", ""}, frontier.LimitRetired: {"retired", ""}, frontier.LimitBrought: {"brought", ""},
	frontier.LimitTrap: {"trap", "crawl.untrap"},
}

func (a *answerWhy) make() api.Why {
	w := api.Why{URL: a.u.String(), Domain: string(a.u.Domain()), Details: []string{}}
	if a.owner != "" {
		w.Owner = peer.ID(a.owner).String()
	}
	args := words.Args{
		"domain": w.Domain, "queued": int64(a.s.Queued), "all": int64(a.s.All), "budget": int64(a.s.Budget),
	}
	w.Verdict, w.Setting = a.verdict(args)
	w.Sentence = a.say("why."+w.Verdict, args)
	a.details(&w, args)
	return w
}

func (a *answerWhy) say(key string, args words.Args) string { return words.Text(a.lang, key, args) }

// verdict returns what decides about the address, first what this node knows by itself, and the setting that changes
// it.
func (a *answerWhy) verdict(args words.Args) (verdict, setting string) {
	if reason := a.Refusals().Reason(a.u); reason != nil {
		args["reason"] = reason
		return "never", neverSettings[reason.Key]
	}
	switch a.Scope.Outside(a.u, 0) {
	case scope.OutsideWorld:
		return "world", ""
	case scope.OutsidePatterns:
		return "scope", "crawl.scope"
	case scope.OutsideText:
		return "media", ""
	}
	if a.s.Known && !a.s.Waits {
		return a.visited(args), ""
	}
	if verdict := a.forbidden(args); verdict != "" {
		return verdict, ""
	}
	switch {
	case a.s.Known && a.s.Leased:
		return "leased", ""
	case a.s.Known:
		args["time"] = a.moment(time.Now().Add(time.Duration(a.s.DueIn) * time.Second))
		if a.s.Retired || a.s.Troubled {
			args["reason"] = words.Shown(a.lang, cmp.Or(a.s.Reason, noAnswer))
			return "trouble", ""
		}
		return "waiting", ""
	case !a.s.Leads && a.owner != "":
		args["peer"] = journal.ShortPeer(a.owner)
		return "silent", ""
	case !a.s.Leads && a.Stopped:
		return "stopped", ""
	case !a.s.Leads:
		return "nobody", ""
	}
	if int(a.s.By) < len(whyLimits) && a.s.By > 0 {
		args["reason"] = a.say(a.u.Trap(time.Now()), nil)
		return whyLimits[a.s.By].verdict, whyLimits[a.s.By].setting
	}
	if a.s.Dropped {
		return "dropped", ""
	}
	args["depth"] = a.Scope.Depth()
	return "unknown", "crawl.depth"
}

// visited says what came of the last visit.
func (a *answerWhy) visited(args words.Args) string {
	args["time"] = a.moment(time.Unix(a.s.Date, 0))
	if a.s.Date == 0 {
		args["time"] = "-"
	}
	args["status"] = int64(a.s.Status)
	return "was." + string(journal.CodeOf(a.s.Result))
}

// forbidden says what this node's copy of robots.txt says, if it is about the address.
func (a *answerWhy) forbidden(args words.Args) string {
	record, rules, fresh := a.Rules.Get(a.Calendar(), a.u.Origin())
	if !fresh {
		return ""
	}
	ground, line := record.Ground(rules, a.u)
	args["line"] = line
	switch {
	case ground == robots.GroundUnreachable, ground == robots.GroundUnreadable:
		return "robots.unread"
	case !rules.Allowed(a.u):
		return "robots"
	}
	return ""
}

// details adds what else there is to know.
func (a *answerWhy) details(w *api.Why, args words.Args) {
	if a.s.Known && a.s.Result == crawl.Forbidden && a.forbidden(args) == "robots" {
		w.Details = append(w.Details, a.say("why.detail.line", args))
	}
	if a.s.Known && a.s.Next > 0 {
		next := time.Unix(a.s.Next, 0)
		w.Next = &next
		args["time"] = a.moment(next)
		w.Details = append(w.Details, a.say("why.detail.next", args))
	}
	if a.s.Known && a.s.Waits && a.s.DueIn > 0 {
		next := time.Now().Add(time.Duration(a.s.DueIn) * time.Second)
		w.Next = &next
	}
	if a.owner != "" && a.s.Leads {
		args["peer"] = journal.ShortPeer(a.owner)
		w.Details = append(w.Details, a.say("why.detail.owner", args))
	}
	if w.Setting != "" {
		args["setting"] = w.Setting
		w.Details = append(w.Details, a.say("why.detail.setting", args))
	}
}

func (a *answerWhy) moment(t time.Time) string {
	return tell.Moment(t.Local(), time.Now(), a.lang)
}

// neverSettings are the settings that reasons of scope.Refusals come from, by their keys. The built-in list has none.
var neverSettings = map[string]string{
	scope.KeySite: "sites.never", scope.KeyTLD: "tld.never", scope.KeyTopic: "topics.never",
	scope.KeyList: "safety.blocklists",
}
