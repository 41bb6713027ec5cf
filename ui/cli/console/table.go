package console

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

const (
	tableGap = "  "
	// leastColumn is how narrow a column is made at most, so that something can still be told by it.
	leastColumn = 8
)

// Table writes rows in columns. On a terminal, the cells of the widest are cut until they fit.
func Table(w io.Writer, rows [][]string) error {
	rows = cleaned(rows)
	widths := widthsOf(rows)
	if columns := ColumnsOf(w); columns > 0 {
		fit(widths, columns)
	}
	for _, row := range rows {
		for i, cell := range row {
			row[i] = Cut(cell, widths[i])
		}
		if err := WriteRow(w, row, widths); err != nil {
			return err
		}
	}
	return nil
}

// cleaned returns rows of which each is one line, whatever others wrote into it.
func cleaned(rows [][]string) [][]string {
	clean := make([][]string, len(rows))
	for i, row := range rows {
		clean[i] = make([]string, len(row))
		for j, cell := range row {
			clean[i][j] = Printable(cell)
		}
	}
	return clean
}

// Facts writes rows of a name, a value, and what there is to say about it. On a terminal, what is said last
// goes on below itself.
func Facts(w io.Writer, rows [][]string) error {
	rows = cleaned(rows)
	widths := widthsOf(rows)
	columns := ColumnsOf(w)
	for _, row := range rows {
		last, before := len(row)-1, 0
		for _, n := range widths[:last] {
			before += n + len(tableGap)
		}
		lines := []string{row[last]}
		if columns-before >= leastColumn {
			lines = Wrap(strings.Split(row[last], " "), columns-before)
		}
		for i, text := range lines {
			cells := make([]string, last, last+1)
			if i == 0 {
				copy(cells, row)
			}
			if err := WriteRow(w, append(cells, text), widths); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteRow writes the cells of a row in columns of these widths.
func WriteRow(w io.Writer, row []string, widths []int) error {
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString(tableGap)
		}
		b.WriteString(cell + strings.Repeat(" ", max(0, widths[i]-ColumnsIn(cell))))
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	return err
}

// widthsOf returns how wide each column must be.
func widthsOf(rows [][]string) (widths []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ColumnsIn(cell))
		}
	}
	return widths
}

// fit makes the widest columns narrower until a row has at most so many columns, as far as that goes.
func fit(widths []int, columns int) {
	total := len(tableGap) * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	for ; total > columns; total-- {
		widest := 0
		for i, n := range widths {
			if n >= widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= leastColumn {
			return
		}
		widths[widest]--
	}
}

// Cut shortens a cell to so many columns, and shows that it did.
func Cut(text string, columns int) string {
	if ColumnsIn(text) <= columns {
		return text
	}
	return Clip(text, columns-1) + "…"
}

// Wrap puts words on lines of so many columns; a longer word has one for itself.
func Wrap(words []string, columns int) (lines []string) {
	length := 0
	for _, word := range words {
		n := ColumnsIn(word)
		if len(lines) == 0 || length+1+n > columns {
			lines = append(lines, word)
			length = n
			continue
		}
		lines[len(lines)-1] += " " + word
		length += 1 + n
	}
	return lines
}

// ColumnsIn returns how many columns text takes.
func ColumnsIn(text string) (n int) {
	for _, r := range text {
		n += columnsFor(r)
	}
	return n
}

// columnsFor returns how many columns a character takes: two for wide ones (CJK), none for controls, and
// for accents that stand above the one before.
func columnsFor(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cc, unicode.Cf) {
		return 0
	}
	return 1
}

// Clip cuts text to a number of columns.
func Clip(text string, columns int) string {
	for i, r := range text {
		if columns -= columnsFor(r); columns < 0 {
			return text[:i]
		}
	}
	return text
}
