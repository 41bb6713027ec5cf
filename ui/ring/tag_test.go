package ring

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/ring/fade"
	"github.com/forage-net/forage/ui/ring/paint"
)

// frameTimes draws whenever a frame is due, and returns after what times that was.
func frameTimes(r *Ring, now, end time.Time) (at []time.Duration) {
	for begun := now; ; {
		next, ok := r.Next(now)
		if !ok || next.After(end) {
			return at
		}
		now = later(next, now.Add(time.Millisecond))
		r.Draw(200, 200, 1, now)
		at = append(at, now.Sub(begun))
	}
}

// While nothing happens the names of sites that were visited come and go, also at rest; few frames are drawn for that.
func TestTag_NamesOfPastVisits(t *testing.T) {
	for _, dusk := range []string{"", "Resting."} {
		r := New(paint.Fonts{})
		r.List(ringOf(3, 20))
		r.Rest(dusk)
		r.Draw(200, 200, 1, noon)
		seen := map[string]bool{}
		for n := range 4 {
			from := noon.Add(time.Duration(n+1) * tagEvery)
			frames := frameTimes(r, from, from.Add(tagEvery-time.Second))
			if len(frames) != fade.Stages {
				t.Errorf("dusk %q: frames of name %d at %v", dusk, n, frames)
			}
			seen[r.tag.text] = true
			if !tagSeen(r, from.Add(time.Second)) {
				t.Errorf("dusk %q: name %d is not seen", dusk, n)
			}
		}
		if len(seen) != 4 || r.tag.title {
			t.Errorf("dusk %q: the names are %v", dusk, seen)
		}
		r.Still(true)
		if tagSeen(r, noon.Add(34*time.Second)) {
			t.Errorf("dusk %q: a name stands where no motion is wanted", dusk)
		}
	}
}

// The title of a page drifts in where its mark arrives; one at a time can be read.
func TestTag_Titles(t *testing.T) {
	r := New(paint.Fonts{})
	list := ringOf(3, 20)
	r.List(list)
	r.Draw(300, 300, 1, noon)
	page := func(d api.RingDomain, title string, at time.Duration) {
		r.Note(noon.Add(at), []api.Event{{Code: api.CodeFetched, Time: noon.Add(at), Domain: d.Domain, At: d.At, Title: title}})
	}
	for _, c := range []struct {
		at          time.Duration
		title, want string
	}{
		{0, "Bread", "Bread"}, {time.Second, "Butter", "Bread"}, {2 * time.Second, "Jam\n\u202e", "Jam"}, {4 * time.Second, "日本", "Jam"}, {5 * time.Second, "", "Jam"},
	} {
		if page(list.Domains[0], c.title, c.at); r.tag.text != c.want && r.tag.text != c.want+" " {
			t.Errorf("after %q, %q stands there, want %q", c.title, r.tag.text, c.want)
		}
	}
	if !tagSeen(r, noon.Add(4*time.Second)) {
		t.Error("it is not seen")
	}
}

// tagSeen says whether the picture of a time is another without its tag.
func tagSeen(r *Ring, at time.Time) bool {
	before := r.tag
	with := slices.Clone(r.Draw(200, 200, 1, at).Pix)
	r.tag = tag{begin: at}
	defer func() { r.tag = before }()
	return !bytes.Equal(with, r.Draw(200, 200, 1, at).Pix)
}
