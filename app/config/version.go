package config

import "github.com/forage-net/forage/crawl"

// Version is that of this program, as shown to users.
const Version = crawl.Version
