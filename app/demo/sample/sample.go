// Package sample has files that are no pages, for crawlers to pass over: a leaflet, a photo, an archive.
package sample

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// File is something to download that is no page.
type File struct {
	Path, Name, Type string
	Data             []byte
}

// Files returns what every site offers besides pages.
func Files() []File {
	return []File{
		{"/files/leaflet.pdf", "leaflet.pdf", "application/pdf", pdfFile("A leaflet of the practice web")},
		{"/files/photo.png", "photo.png", "image/png", PNG(160, 120)},
		{"/files/data.zip", "data.zip", "application/zip", zipFile("year,number\n2024,17\n2025,21\n")},
	}
}

// pdfFile returns a PDF of one page with one line.
func pdfFile(line string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(text string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), text)
	}
	content := "BT /F1 24 Tf 72 720 Td (" + line + ") Tj ET"
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> " +
		">> >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// PNG returns a picture of an evening sky.
func PNG(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		c := color.RGBA{R: uint8(40 + 160*y/height), G: uint8(60 + 80*y/height), B: uint8(120 - 40*y/height), A: 255}
		for x := range width {
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic("sample: encode picture: " + err.Error())
	}
	return b.Bytes()
}

// zipFile returns an archive of one file.
func zipFile(text string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("data.csv")
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic("sample: write archive: " + err.Error())
	}
	return b.Bytes()
}
