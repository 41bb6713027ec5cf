package draw

import (
	"bytes"
	"encoding/binary"
	"image"
)

// ico writes images as a Windows icon: each as a bitmap of 32 bits a pixel, which every version of Windows
// reads at small sizes, and no image wider than 255 pixels.
func ico(images ...*image.NRGBA) []byte {
	var head, body bytes.Buffer
	put := func(b *bytes.Buffer, values ...any) {
		for _, v := range values {
			_ = binary.Write(b, binary.LittleEndian, v) // a bytes.Buffer takes everything
		}
	}
	put(&head, uint16(0), uint16(1), uint16(len(images)))
	const entry, info = 16, 40
	for _, img := range images {
		size := img.Bounds().Dx()
		at, mask := body.Len(), maskBytes(size)
		// Twice the height: the picture, then a mask, which is empty, since alpha says all.
		put(&body, uint32(info), int32(size), int32(2*size), uint16(1), uint16(32), uint32(0), uint32(4*size*size+mask),
			[4]uint32{})
		for y := size - 1; y >= 0; y-- {
			for x := range size {
				c := img.NRGBAAt(x, y)
				body.Write([]byte{c.B, c.G, c.R, c.A})
			}
		}
		body.Write(make([]byte, mask))
		put(&head, uint8(size), uint8(size), uint16(0), uint16(1), uint16(32), uint32(body.Len()-at),
			uint32(6+entry*len(images)+at))
	}
	return append(head.Bytes(), body.Bytes()...)
}

// maskBytes is the size of a mask: a bit a pixel, lines of whole words.
func maskBytes(size int) int { return (size + 31) / 32 * 4 * size }
