package app

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
)

// A home belongs to one network: a lab's must not be run in the public web, nor
// the other way round.
func TestNew_RefusesTheHomeOfAnotherNetwork(t *testing.T) {
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a page") })
	o := labOptions(t, t.TempDir(), s.hosts, "http://a.test/")
	closeNode(t, newNode(t, o))
	closeNode(t, newNode(t, o))
	for name, change := range map[string]func(*Options){
		"the public web": func(o *Options) { o.Lab = nil },
		"another lab":    func(o *Options) { o.Config.Net.Name = "other" },
	} {
		other := o
		change(&other)
		if n, err := New(other); !errors.Is(err, ErrOtherNetwork) {
			t.Errorf("%s: New returned %v, want %v", name, err, ErrOtherNetwork)
			if n != nil {
				n.Close()
			}
		}
	}
	closeNode(t, newNode(t, o))
}
