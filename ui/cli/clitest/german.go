package clitest

import "regexp"

// EnglishWords are in most sentences of English and in none of German.
var EnglishWords = regexp.MustCompile(`(?i)\b(the|this|that|and|not|with|has|are|you|your|what|which|nobody|nothing|` +
	`there|its|from|takes|only|never)\b`)

// QuotedText is what is no German in a German sentence: command lines, flags, settings, paths, and what was typed.
var QuotedText = regexp.MustCompile(`„[^“]*“|"[^"]*"|--[a-z-]+|[a-z]+\.never|\S*[/=]\S*`)
