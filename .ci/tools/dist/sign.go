package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jedisct1/go-minisign"
)

// signAll signs each file of a directory, SHA256SUMS among them, as minisign does: FILE.minisig. The key is in a file, and must be the one
// that the program of root knows. The same files give the same signatures.
func signAll(root, dir, keyFile, password string, date time.Time) error {
	key, err := minisign.NewPrivateKeyFromFile(keyFile)
	if err != nil {
		return fmt.Errorf("read signing key: %w", err)
	}
	if err := key.Decrypt(password); err != nil {
		return fmt.Errorf("decrypt signing key: %w", err)
	}
	defer key.Wipe()
	known, err := minisign.NewPublicKeyFromFile(filepath.Join(root, "assets", "release.pub"))
	if err != nil {
		return fmt.Errorf("read public key: %w", err)
	}
	if known != key.PublicKey() {
		return fmt.Errorf("%s is not the key of assets/release.pub, by which programs check releases", keyFile)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		signature, err := key.SignFile(path, minisign.SignOptions{Hashed: true, TrustedComment: fmt.Sprintf("timestamp:%d\tfile:%s\thashed", date.Unix(), e.Name())})
		if err == nil {
			err = os.WriteFile(path+".minisig", signature.Encode(), 0o644)
		}
		if err != nil {
			return fmt.Errorf("sign %s: %w", path, err)
		}
	}
	return nil
}
