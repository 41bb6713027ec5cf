//go:build !unix

package identity

// checkPrivate does nothing: the directory's access list, which mode bits do
// not show, keeps the file private.
func checkPrivate(string) error { return nil }
