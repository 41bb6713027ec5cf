package config

// Item is a setting and its value.
type Item struct {
	Key
	// Value is a bool for yes or no, an int64 for a whole number, a size (in bytes) and a length of time (in
	// seconds), a []string for a list, never nil, and else a string. Default is the same of the default.
	Value, Default any
	// Text and DefaultText are the values as Set takes them.
	Text, DefaultText string
}

// Items returns all settings in the order they are documented in. The slices are the caller's.
func (c Config) Items() []Item {
	defaults := Defaults()
	items := make([]Item, 0, len(schema()))
	for _, f := range schema() {
		items = append(items, Item{
			Key: f.Key, Value: f.typed(&c), Default: f.typed(&defaults),
			Text: f.get(&c).Words(), DefaultText: f.get(&defaults).Words(),
		})
	}
	return items
}
