package nodeapi

import (
	"testing"

	"github.com/forage-net/forage/p2p/wire"
)

func TestWhy_StrangersLearnTheHour(t *testing.T) {
	a := wire.WhyAnswer{Leads: true, Date: 3600*5 + 7, Next: 3600 * 9}
	if toTheHour(&a); a.Date != 3600*5 || a.Next != 3600*9 || !a.Leads {
		t.Errorf("a stranger is told %+v", a)
	}
}
