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

// ReleaseKey returns the public key that releases are signed with, as minisign writes it to a file; "" if there is none
// yet.
func ReleaseKey() string { return releaseKey }

//go:embed passwords/common.txt
var commonPasswords string

// CommonPasswords returns the commonest passwords in lower case, one a line: the first 10,000 of
// github.com/trustelem/zxcvbn that have a letter and four characters or more, and all of its 47,000 that have ten
// characters and more. Its licence stands beside the list.
func CommonPasswords() string { return commonPasswords }
