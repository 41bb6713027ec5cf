package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// spoken returns the language in which a call is answered: that of the parameter, else the first of the header
// Accept-Language that there is, else English.
func spoken(r *http.Request) string {
	if strings.Contains(r.URL.RawQuery, "lang=") {
		if lang := r.URL.Query().Get("lang"); isLang(lang) {
			return lang
		}
	}
	return accepted(strings.Join(r.Header.Values("Accept-Language"), ","))
}

// maxAccepted bounds how many languages of a header are looked at.
const maxAccepted = 32

// accepted returns the first language of a header Accept-Language that there is. Callers put the one they want first;
// their weights are not looked at, except for a 0.
func accepted(header string) string {
	for range maxAccepted {
		one, rest, more := strings.Cut(header, ",")
		tag, weight, _ := strings.Cut(one, ";")
		tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		if isLang(tag) && !isZero(weight) {
			return tag
		}
		if !more {
			break
		}
		header = rest
	}
	return words.English
}

// isZero reports whether a weight says that a language is not wanted.
func isZero(weight string) bool {
	name, value, _ := strings.Cut(strings.ReplaceAll(weight, " ", ""), "=")
	return strings.EqualFold(name, "q") && value != "" && strings.Trim(value, "0.") == ""
}

func isLang(text string) bool { return text == words.English || text == words.German }

// langParam reads the language of sentences; if none is given it is that of the call.
func langParam(r *http.Request, text string) (string, error) {
	switch {
	case text == "":
		return api.Lang(r.Context()), nil
	case isLang(text):
		return text, nil
	}
	return "", refuse(http.StatusBadRequest, "said.api.lang-is-want-en-or-de",
		words.Args{"lang": fmt.Sprintf("%.40q", text)})
}
