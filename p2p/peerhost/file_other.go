//go:build !unix

package peerhost

// syncDir does nothing: where directories cannot be synced, the file system
// journals renames.
func syncDir(string) error { return nil }

// checkPrivate does nothing: the directory's access list, which mode bits do
// not show, keeps the file private.
func checkPrivate(string) error { return nil }
