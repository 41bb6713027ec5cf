package settings

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/forage-net/forage/app/api"
)

// starter is a system that starts a node or not.
type starter struct {
	on  bool
	err error
}

func (s *starter) Starts() (bool, error) { return s.on, s.err }

func (s *starter) Start(on bool) error {
	if s.err == nil {
		s.on = on
	}
	return s.err
}

func TestKeeper_Startup(t *testing.T) {
	var bad *api.InputError
	none := New(Config{Log: slog.New(slog.DiscardHandler)})
	if is := none.Startup(); is.Possible || is.On {
		t.Errorf("without a system: %+v", is)
	}
	if err := none.SetStartup(t.Context(), true); !errors.As(err, &bad) {
		t.Errorf("without a system: %v", err)
	}
	system := &starter{}
	k := New(Config{Startup: system, Log: slog.New(slog.DiscardHandler)})
	for _, on := range []bool{true, false} {
		if err := k.SetStartup(t.Context(), on); err != nil || k.Startup() != (api.Startup{Possible: true, On: on}) {
			t.Errorf("SetStartup(%t) = %v, then %+v", on, err, k.Startup())
		}
	}
	system.err = errors.New("no such directory")
	if err := k.SetStartup(t.Context(), true); !errors.As(err, &bad) || !errors.Is(err, system.err) || k.Startup().Possible {
		t.Errorf("where that fails: %v, then %+v", err, k.Startup())
	}
}
