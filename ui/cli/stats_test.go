package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/cli/env"
)

func TestStats_DaysAndYearsDoNotGoTogether(t *testing.T) {
	e := &env.Env{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
	if _, err := dispatch(t.Context(), e, []string{"stats", "--days", "--years"}); err == nil || !strings.Contains(err.Error(), "do not go together") {
		t.Errorf("error %v", err)
	}
}
