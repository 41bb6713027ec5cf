package api

import "net/http"

// onlyLang reads the query of a call that takes a language and nothing else.
func onlyLang(r *http.Request) (string, error) {
	params, err := query(r, "lang")
	if err != nil {
		return "", err
	}
	return langParam(params["lang"])
}

// langParam reads the language of sentences, English if none is given.
func langParam(text string) (string, error) {
	switch text {
	case "":
		return "en", nil
	case "en", "de":
		return text, nil
	}
	return "", refuse(http.StatusBadRequest, "lang is %.40q, want en or de", text)
}
