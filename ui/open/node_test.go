package open

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/forage-net/forage/app/api"
)

// A node that takes longer to answer than a call may last is asked again.
func TestDial_AsksAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("lasts as long as a call")
	}
	t.Parallel()
	d := api.Descriptor{Token: api.NewToken(), PID: 1, BootID: api.NewBootID()}
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
	if err := api.WriteDescriptor(dir, d); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), dir); err != nil {
		t.Error(err)
	}
}
