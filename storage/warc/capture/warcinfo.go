package capture

import (
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/storage/warc/member"
)

// standing are the fields of every warcinfo record.
var standing = [][2]string{
	{"format", "WARC File Format 1.1"},
	{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
}

// Warcinfo returns the record that opens the file of that name. Of fields of one name the first counts.
func Warcinfo(file string, now time.Time, info [][2]string) []byte {
	var block []byte
	var names []string
	for _, f := range slices.Concat(standing, info) {
		if name := strings.ToLower(f[0]); !slices.Contains(names, name) {
			names = append(names, name)
			block = appendField(block, f[0], f[1])
		}
	}

	var e Encoder
	member.DrawIDs(e.ids[:])
	e.date = now.UTC().AppendFormat(nil, dateLayout)
	e.begin("warcinfo", &e.ids[0])
	e.header("WARC-Filename", file)
	e.end("application/warc-fields", block)
	e.Append(e.head, block, nil)
	return e.Out
}
