package app

import (
	"strconv"

	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/assets/words"
)

// healthSentence says in a language how sites answer the address of this computer.
func healthSentence(lang string, r health.Report) string {
	text := answersSentence(lang, r)
	if r.Sampled && r.Answered > 0 {
		text = words.Text(lang, "health.sampled", words.Args{"sentence": text})
	}
	switch r.Factor {
	case 2, 4, 8:
		text += " " + words.Text(lang, "health.slow."+strconv.Itoa(r.Factor), nil)
	}
	return text
}

func answersSentence(lang string, r health.Report) string {
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
