package look

import (
	"bytes"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
)

func TestPrintStatus_SaysHowSitesAnswer(t *testing.T) {
	var b bytes.Buffer
	sentence := "3 of 40 sites turned this address away in the last 24 hours (up from 0). Forage has slowed to half speed."
	if err := PrintStatus(&b, "", api.Status{State: api.StateWorking, Health: api.Health{Sentence: sentence}}); err != nil || !strings.HasSuffix(b.String(), "\n"+sentence+"\n") {
		t.Errorf("status is\n%s, %v", b.String(), err)
	}
	b.Reset()
	if err := PrintStatus(&b, "", api.Status{}); err != nil || strings.HasSuffix(b.String(), "\n\n") {
		t.Errorf("status is\n%q, %v", b.String(), err)
	}
}
