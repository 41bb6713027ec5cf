package journal

import (
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/assets/words"
)

// State tells that the node is in another state, and why.
func (t *Teller) State(state api.State, causes []limiter.Cause) {
	code := api.CodeState
	if state == api.StateStopping {
		code = api.CodeStopping
	}
	t.Journal.Add(api.Event{
		Kind: api.KindNode, Code: code, Text: stateText(words.English, state, causes),
		German: stateText(words.German, state, causes),
	})
	t.Log.Info("State changed", "state", string(state), "reasons", limiter.Reasons(words.English, causes))
}

// stateText says in a language what state a node is in, and why.
func stateText(lang string, state api.State, causes []limiter.Cause) string {
	if len(causes) > 0 {
		return strings.Join(limiter.Reasons(lang, causes), " · ")
	}
	return words.Said(lang, string(state))
}
