package week

import (
	"testing"

	"github.com/forage-net/forage/ui/desktop/desktest"
)

func TestMain(m *testing.M) { desktest.Main(m) }
