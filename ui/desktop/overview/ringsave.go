package overview

import (
	"fmt"
	"io"
	"time"

	"github.com/forage-net/forage/ui/desktop/files"
	"github.com/forage-net/forage/ui/ring"
)

// savedSide is how wide a saved picture is, in pixels.
const savedSide = 1600

// savePicture writes a picture into a directory, under a name that is not taken, and returns its path.
func savePicture(dir string, picture *ring.Ring, now time.Time) (string, error) {
	name := "forage-ring-" + now.Local().Format(time.DateOnly)
	path, err := files.New(dir, name, ".png", func(w io.Writer) error { return picture.PNG(w, savedSide, now) })
	if err != nil {
		return "", fmt.Errorf("save the picture: %w", err)
	}
	return path, nil
}
