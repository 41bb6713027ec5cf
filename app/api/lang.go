package api

import "net/http"

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
