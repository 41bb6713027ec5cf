package crawl

const (
	// MaxItemKey and MaxItemValue bound the key and the value of an Item in bytes.
	MaxItemKey   = 64
	MaxItemValue = 16 << 10
)

// Item is one thing known of a domain. Its value merges with other values of the same domain and key.
type Item struct {
	Domain Domain
	Key    string
	Value  []byte
}

// Change is that the value of an item of a domain was Old and is New. Old is nil if the item is new, New if it was
// deleted.
type Change struct {
	Key      string
	Old, New []byte
}
