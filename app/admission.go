package app

import (
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/wire"
)

// refusals are the words for why others do not vouch for this node.
var refusals = map[wire.Refusal]string{
	wire.RefusedUnmet: "admission.unmet", wire.RefusedCrowded: "admission.crowded", wire.RefusedEnough: "admission.enough",
	wire.RefusedSilence: "admission.silence",
}

// admissionText says in a language why other members do not yet count on this node, "" if they do or need not.
func (n *Node) admissionText(lang string) string {
	a := n.member.Node.Admission()
	if a.Admitted || !a.Applies {
		return ""
	}
	why := refusals[a.Why]
	if why == "" {
		why = "admission.asking"
	}
	return words.Text(lang, "admission.waiting", nil) + " " + words.Text(lang, why, nil)
}
