package open

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
)

// A node that takes longer to answer than a call may last is asked again.
func TestDial_AsksAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("lasts as long as a call")
	}
	t.Parallel()
	d := descriptor.Descriptor{Token: descriptor.NewToken(), PID: 1, BootID: descriptor.NewBootID()}
	ended := make(chan struct{}) // the first call, without an answer
	end := sync.OnceFunc(func() { close(ended) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-ended:
			json.NewEncoder(w).Encode(api.Status{BootID: d.BootID})
		case <-r.Context().Done():
			end()
		}
	}))
	defer s.Close()
	d.Addr = strings.TrimPrefix(s.URL, "http://")
	dir := t.TempDir()
	if err := descriptor.Write(dir, d); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), dir); err != nil {
		t.Error(err)
	}
}
