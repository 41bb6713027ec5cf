// Package release tells whether a file is one that the makers of forage have published: beside it stands a signature in
// the form of minisign, FILE.minisig, by the key that is built into the program.
package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jedisct1/go-minisign"

	"github.com/forage-net/forage/assets"
	"github.com/forage-net/forage/assets/words"
)

const (
	// suffix is what the name of a signature has more than that of its file.
	suffix = ".minisig"
	// maxFile and maxSignature bound what is read, in bytes.
	maxFile      = 512 << 20
	maxSignature = 4 << 10
	// patience is how long a download may take.
	patience = 30 * time.Minute
)

var (
	// ErrNoKey is of a program that was built without the key of releases.
	ErrNoKey = errors.New("this forage carries no key of releases, so it cannot tell; " +
		"check the file with minisign and the key of its makers")
	// ErrUnsigned is of a file without a signature.
	ErrUnsigned error = words.New("said.cli.no-signature-beside", nil)
	// ErrWrong is of a file that is not what was signed, or not by the makers of forage.
	ErrWrong error = words.New("said.cli.not-signed-by-the-makers", nil)
)

// Check verifies a file, or what an https address leads to, by the signature beside it. It returns what the signature
// says of the file: its name, and when it was signed.
func Check(ctx context.Context, place string) (comment string, err error) {
	if assets.ReleaseKey() == "" {
		return "", ErrNoKey
	}
	key, err := minisign.DecodePublicKey(assets.ReleaseKey())
	if err != nil {
		return "", fmt.Errorf("read the key that releases are signed with: %w", err)
	}
	return checkBy(ctx, key, http.DefaultClient, place)
}

func checkBy(
	ctx context.Context, key minisign.PublicKey, client *http.Client, place string,
) (comment string, err error) {
	read := readFile
	if isURL(place) {
		read = func(url string, most int64) ([]byte, error) { return download(ctx, client, url, most) }
	} else if strings.Contains(place, "://") {
		return "", words.New("said.cli.neither-a-file-nor-https", words.Args{"name": fmt.Sprintf("%.200q", place)})
	}
	text, err := read(place+suffix, maxSignature)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(place); err != nil && !isURL(place) {
			return "", err
		}
		return "", fmt.Errorf("%w (%s)", ErrUnsigned, place+suffix)
	}
	if err != nil {
		return "", err
	}
	signature, err := minisign.DecodeSignature(string(text))
	if err != nil {
		return "", words.New("said.cli.is-no-signature", words.Args{"path": place + suffix, "error": err})
	}
	file, err := read(place, maxFile)
	if err != nil {
		return "", err
	}
	if ok, err := key.Verify(file, signature); !ok || err != nil {
		return "", ErrWrong
	}
	return strings.TrimPrefix(signature.TrustedComment, "trusted comment: "), nil
}

func isURL(place string) bool { return strings.HasPrefix(place, "https://") }

func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSome(f, path, most)
}

func download(ctx context.Context, client *http.Client, url string, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone:
		return nil, fmt.Errorf("%s: %w", url, os.ErrNotExist)
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers %s", url, answer.Status)
	}
	return readSome(answer.Body, url, most)
}

func readSome(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = words.New("said.settings.is-larger-than-bytes", words.Args{"path": name, "most": most})
	}
	return data, err
}
