package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
)

// AppSizes are the sides, in pixels, of the icon of the program.
var AppSizes = []int{16, 24, 32, 48, 64, 128, 256, 512}

// TraySizes are the sides of the tray's icons: as panels show them, and twice that.
var TraySizes = []int{22, 44}

// icoSizes are what Windows asks for at 100 to 300 %.
var icoSizes = []int{16, 20, 24, 32, 48}

// Files draws all icons, by the names of their files.
func Files() (map[string][]byte, error) {
	files := map[string][]byte{
		"forage.svg":          []byte(AppSVG()),
		"forage-symbolic.svg": []byte(SymbolicSVG()),
	}
	add := func(name string, img image.Image) error {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
		files[name] = b.Bytes()
		return nil
	}
	for _, size := range AppSizes {
		if err := add(fmt.Sprintf("forage-%d.png", size), App(size)); err != nil {
			return nil, err
		}
	}
	for _, name := range TrayNames {
		for _, size := range TraySizes {
			if err := add(fmt.Sprintf("tray-%s-%d.png", name, size), Tray(name, size)); err != nil {
				return nil, err
			}
		}
		var all []*image.NRGBA
		for _, size := range icoSizes {
			all = append(all, Tray(name, size))
		}
		files["tray-"+name+".ico"] = ico(all...)
	}
	return files, nil
}
