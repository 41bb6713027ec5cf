package away

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestRecord_CountsWhatItIsTold(t *testing.T) {
	var r Record
	for _, f := range []Fetched{
		{Page: Page{"http://a.example/1", "a.example", ""}, Language: "de", First: true, Connect: 20 * time.Millisecond},
		{Page: Page{"http://a.example/2", "a.example", "Two"}, Language: "de", First: true},
		{Page: Page{"http://b.example/", "b.example", ""}, Language: "fr", First: true, Connect: 312 * time.Millisecond},
		{Page: Page{"http://c.example/", "c.example", "Known"}, Connect: 311 * time.Millisecond},
	} {
		r.Add(f)
	}
	sites := r.Sites
	r.Sites = nil
	want := Record{Pages: 4, Firsts: 3, Languages: []string{"de", "fr"}, First: Page{"http://a.example/2", "a.example", "Two"}, Far: "b.example", FarMs: 312}
	if len(sites) != 3 || !reflect.DeepEqual(r, want) {
		t.Errorf("%d sites, %+v, want 3 and %+v", len(sites), r, want)
	}
}

func TestRecord_IsBounded(t *testing.T) {
	var r Record
	for i := range 2 * MaxSites {
		r.Add(Fetched{Page: Page{Domain: fmt.Sprintf("s%d.example", i)}, Language: fmt.Sprint(i)})
	}
	if len(r.Sites) != MaxSites || !r.More || len(r.Languages) != maxLanguages || r.Pages != 2*MaxSites {
		t.Errorf("%d sites, more %v, %d languages, %d pages", len(r.Sites), r.More, len(r.Languages), r.Pages)
	}
}

func TestIsReturn(t *testing.T) {
	last := time.Unix(1e9, 0)
	for gap, want := range map[time.Duration]bool{-time.Hour: false, 0: false, Least - time.Second: false, Least: true, 24 * time.Hour: true} {
		if got := IsReturn(last, last.Add(gap)); got != want {
			t.Errorf("%v later it is a return: %v, want %v", gap, got, want)
		}
	}
}
