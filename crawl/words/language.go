package words

// common are words that a text of some length in a language has, and few texts in another have.
var common = map[string][]string{
	"da": {"og", "det", "ikke", "til", "på", "er", "af", "med", "jeg", "blev"},
	"de": {"und", "der", "die", "das", "nicht", "ist", "mit", "auf", "ein", "für", "von", "werden"},
	"en": {"the", "and", "of", "to", "is", "that", "with", "for", "this", "are", "not", "you"},
	"es": {"que", "los", "las", "una", "por", "con", "para", "del", "más", "como", "está", "pero"},
	"fi": {"ja", "on", "ei", "että", "se", "oli", "mutta", "ovat", "kun", "myös"},
	"fr": {"les", "des", "est", "une", "dans", "pour", "que", "pas", "sur", "avec", "aux", "cette"},
	"hu": {"és", "hogy", "nem", "egy", "az", "is", "ez", "meg", "volt", "csak"},
	"it": {"che", "non", "per", "una", "con", "del", "della", "sono", "più", "gli", "anche", "nel"},
	"nl": {"het", "een", "van", "niet", "dat", "zijn", "voor", "met", "ook", "worden", "naar", "wordt"},
	"no": {"og", "det", "ikke", "til", "på", "er", "av", "med", "jeg", "ble"},
	"pl": {"nie", "się", "jest", "na", "że", "do", "dla", "oraz", "przez", "jak", "które"},
	"pt": {"que", "não", "uma", "para", "com", "os", "dos", "mais", "como", "são", "pela", "ao"},
	"ro": {"și", "este", "nu", "din", "pe", "sunt", "care", "pentru", "mai", "cu"},
	"ru": {"и", "не", "что", "это", "как", "для", "на", "по", "из", "или"},
	"sv": {"och", "det", "inte", "att", "som", "på", "är", "av", "för", "med", "jag"},
	"tr": {"bir", "ve", "bu", "için", "ile", "çok", "olarak", "daha", "gibi", "olan"},
	"uk": {"і", "та", "не", "що", "це", "як", "для", "від", "або", "є"},
}

const (
	// surely is how many of a language's common words are on a page that says nothing of its language, or another one.
	surely = 5
	// likely is the same for a page that names it.
	likely = 2
)

// Language returns the primary language of a page: the one it names, unless its common words are clearly those of
// another one. It is "" if neither tells.
func (c *Counter) Language(named string) string {
	named = Primary(named)
	best, most := "", 0
	for language, list := range common {
		n := 0
		for _, w := range list {
			if c.Has(w) {
				n++
			}
		}
		if language == named && n >= likely {
			return named
		}
		if n > most || n == most && language < best {
			best, most = language, n
		}
	}
	if most >= surely && (named == "" || common[named] != nil) {
		return best
	}
	return named
}
