package about

// licences are the works that both programs are built from, by their licences. What these are built from in
// turn is in go.sum.
var licences = []struct{ licence, works string }{
	{"Apache License 2.0", "fyne.io/systray, go.etcd.io/raft/v3, github.com/RoaringBitmap/roaring/v2, " +
		"github.com/blevesearch/vellum, github.com/nlnwa/whatwg-url, github.com/spf13/cobra"},
	{"BSD", "Go, fyne.io/fyne/v2, github.com/blevesearch/mmap-go, github.com/blevesearch/snowballstem, " +
		"github.com/godbus/dbus/v5, github.com/klauspost/compress, github.com/marcopolo/simnet, " +
		"github.com/spf13/pflag, " +
		"golang.org/x/crypto, golang.org/x/image, golang.org/x/net, golang.org/x/sys, golang.org/x/term, " +
		"golang.org/x/text, golang.org/x/time, " +
		"gonum.org/v1/plot, google.golang.org/protobuf"},
	{"MIT", "github.com/andybalholm/brotli, github.com/creachadair/tomledit, github.com/fxamacker/cbor/v2, " +
		"github.com/libp2p/go-libp2p, github.com/libp2p/go-libp2p-kad-dht, github.com/libp2p/go-libp2p-kbucket, " +
		"github.com/libp2p/go-libp2p-pubsub, " +
		"github.com/jedisct1/go-minisign, github.com/libp2p/go-msgio, github.com/multiformats/go-multiaddr, " +
		"github.com/multiformats/go-multiaddr-dns, github.com/multiformats/go-multistream, " +
		"github.com/quic-go/quic-go, " +
		"github.com/temoto/robotstxt, go.etcd.io/bbolt, go.uber.org/fx, preact, uPlot, zxcvbn (list of passwords)"},
	{"MPL 2.0", "github.com/hashicorp/golang-lru/v2, github.com/hashicorp/serf, Public Suffix List"},
	{"SIL Open Font License 1.1", "Noto Sans, Inter"},
}
