package health

import (
	"strconv"

	"github.com/forage-net/forage/assets/words"
)

// In says in a language how sites answer the address of this computer: "3 of 40 sites turned this address
// away in the last 24 hours (up from 0). Forage has slowed to half speed."
func (r Report) In(lang string) string {
	text := r.answers(lang)
	if r.Sampled && r.Answered > 0 {
		text = words.Text(lang, "health.sampled", words.Args{"sentence": text})
	}
	switch r.Factor {
	case 2, 4, 8:
		text += " " + words.Text(lang, "health.slow."+strconv.Itoa(r.Factor), nil)
	}
	return text
}

func (r Report) answers(lang string) string {
	if r.Answered == 0 {
		return words.Text(lang, "health.none", nil)
	}
	key, change := "health.refused", ""
	if r.Challenged > 0 {
		key = "health.challenged"
	}
	if r.AnsweredBefore > 0 && r.Refused != r.RefusedBefore {
		than := "health.up"
		if r.Refused < r.RefusedBefore {
			than = "health.down"
		}
		change = " (" + words.Text(lang, than, words.Args{"before": r.RefusedBefore}) + ")"
	}
	return words.Text(lang, key, words.Args{"refused": r.Refused, "count": r.Answered, "change": change})
}
