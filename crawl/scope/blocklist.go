package scope

import (
	"bufio"
	"bytes"
	"errors"
	"hash/maphash"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

const (
	// MaxBlocklistBytes is how much of one list is read: the largest that are published have some 60 MB.
	MaxBlocklistBytes = 96 << 20
	// MaxBlocked is how many names all lists together may hold, at 8 bytes each.
	MaxBlocked = 4_000_000
	// maxBlockLine is longer than any line that means something, in bytes.
	maxBlockLine = 1024
)

// Errors of Blocklist.Read.
var (
	ErrBlocklistSize  error = words.New("said.settings.blocklist-size", words.Args{"most": MaxBlocklistBytes >> 20})
	ErrBlocklistNames error = words.New("said.settings.blocklist-names", words.Args{"most": MaxBlocked})
	// ErrBlocklistEmpty is of something that is no list at all, as an error page that was saved in its place.
	ErrBlocklistEmpty error = words.New("said.settings.blocklist-empty", nil)
)

// Blocklist is the names of sites in lists that others made. Of each it keeps a number of 64 bits that nobody
// outside knows, so that two names are taken for one once in some million million visits. After Done it is
// immutable and safe for concurrent use. The zero value is empty, and nil too.
type Blocklist struct {
	seed  maphash.Seed
	names []uint64
	made  bool
}

// Read adds a list, in any of the forms that are usual: a domain a line; a hosts file, of lines "0.0.0.0
// example.org"; and of filters for browsers those that are of a whole domain, "||example.org^". What stands
// behind a blank and #, or begins with # or !, is a comment. Other lines are passed over, as are addresses,
// names without a dot, and those under which anybody may have a site ("co.uk"). names is how many were found.
// What was read before an error stays.
func (b *Blocklist) Read(r io.Reader) (names int, err error) {
	if !b.made {
		b.seed, b.made = maphash.MakeSeed(), true
	}
	limited := &io.LimitedReader{R: r, N: MaxBlocklistBytes + 1}
	lines := bufio.NewReaderSize(limited, maxBlockLine)
	for {
		line, err := lines.ReadSlice('\n')
		whole := err == nil || errors.Is(err, io.EOF)
		for errors.Is(err, bufio.ErrBufferFull) { // it means nothing
			_, err = lines.ReadSlice('\n')
		}
		if whole {
			names += b.addLine(line)
		}
		switch {
		case len(b.names) > MaxBlocked:
			b.Done() // lists repeat each other
			if len(b.names) > MaxBlocked {
				return names, ErrBlocklistNames
			}
		case limited.N <= 0:
			return names, ErrBlocklistSize
		}
		switch {
		case errors.Is(err, io.EOF) && names == 0:
			return 0, ErrBlocklistEmpty
		case errors.Is(err, io.EOF):
			return names, nil
		case err != nil:
			return names, err
		}
	}
}

// Done ends what Read began.
func (b *Blocklist) Done() {
	slices.Sort(b.names)
	b.names = slices.Clip(slices.Compact(b.names))
}

// Len returns how many names there are.
func (b *Blocklist) Len() int {
	if b == nil {
		return 0
	}
	return len(b.names)
}

// Has reports whether a host, or a domain that it is below, is on a list. It allocates nothing.
func (b *Blocklist) Has(host string) bool {
	if b.Len() == 0 {
		return false
	}
	for {
		if _, ok := slices.BinarySearch(b.names, maphash.String(b.seed, host)); ok {
			return true
		}
		_, above, found := strings.Cut(host, ".")
		if !found {
			return false
		}
		host = above
	}
}

// addLine adds the names in a line, and returns how many.
func (b *Blocklist) addLine(line []byte) (n int) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '#' || line[0] == '!' || line[0] == '[' {
		return 0
	}
	if rest, ok := bytes.CutPrefix(line, []byte("||")); ok { // a filter
		name, options, _ := bytes.Cut(rest, []byte("^"))
		if len(options) == 0 {
			n += b.add(string(name))
		}
		return n
	}
	fields := bytes.Fields(line)
	if i := slices.IndexFunc(fields, func(f []byte) bool { return f[0] == '#' }); i >= 0 {
		fields = fields[:i]
	}
	if len(fields) > 1 { // a line of a hosts file
		if _, err := netip.ParseAddr(string(fields[0])); err != nil {
			return 0
		}
		fields = fields[1:]
	}
	for _, f := range fields {
		n += b.add(string(f))
	}
	return n
}

// add adds a name and returns 1, or 0 if it is no name of a site.
func (b *Blocklist) add(name string) int {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "*."), ".")
	if name = strings.ToLower(name); !isHostname(name) {
		u, err := crawl.ParseURL("http://" + name + "/")
		if err != nil || strings.ContainsAny(name, "/:@?#\\%") { // more than a name
			return 0
		}
		if name = u.Hostname(); !isHostname(name) {
			return 0
		}
	}
	if below := "x." + name; string(crawl.DomainOf(below)) == below {
		return 0 // a public suffix
	}
	b.names = append(b.names, maphash.String(b.seed, name))
	return 1
}

// isHostname reports whether a name has at least two labels of ordinary characters, and is no address.
func isHostname(name string) bool {
	if len(name) > 253 || !strings.Contains(name, ".") {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			if c := label[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
		last = label
	}
	return strings.Trim(last, "0123456789") != ""
}
