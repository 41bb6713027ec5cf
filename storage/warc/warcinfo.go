package warc

import "time"

// warcinfo returns the record that opens the file of that name.
func warcinfo(file string, now time.Time, info [][2]string) []byte {
	var block []byte
	for _, f := range info {
		block = appendField(block, f[0], f[1])
	}
	block = appendField(block, "format", "WARC File Format 1.1")
	block = appendField(block, "conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/")

	var e encoder
	newUUIDs(&e.ids)
	e.date = now.UTC().AppendFormat(nil, dateLayout)
	e.begin("warcinfo", &e.ids[0])
	e.header("WARC-Filename", file)
	e.end("application/warc-fields", block)
	e.writeMember(e.head, block, nil)
	return e.out
}
