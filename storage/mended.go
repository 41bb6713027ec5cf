package storage

import "github.com/forage-net/forage/assets/words"

// Mended is one kind of damage to the records of a store. As an error it says for example "damaged copies of
// robots.txt: 3, dropped".
type Mended struct {
	// Count is how often, 1 at least.
	Count int
	// Found names what was wrong, in the plural; Done says what was done about it.
	Found, Done *words.Message
}

// In says it in a language.
func (m Mended) In(lang string) string {
	return m.Found.In(lang) + ": " + words.Number(lang, int64(m.Count)) + ", " + m.Done.In(lang)
}

func (m Mended) Error() string { return m.In(words.English) }
