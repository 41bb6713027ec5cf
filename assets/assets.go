// Package assets holds the files that are built into the programs. It decides
// nothing and imports nothing of ours.
package assets

import _ "embed"

//go:embed seeds.txt
var seeds string

// Seeds returns the seeds of a crawl whose user named none: one canonical
// https URL a line. Lines that begin with # are comments; some are empty.
func Seeds() string { return seeds }

//go:embed release.pub
var releaseKey string

// ReleaseKey returns the public key that releases are signed with, as minisign writes it to a file.
func ReleaseKey() string { return releaseKey }
