package replay

import "strings"

// srcset rewrites a list of pictures (HTML standard §4.8.4.3.10). Those that the
// archive does not have are left out.
func (p *place) srcset(value string) string {
	var list []string
	for value != "" {
		value = strings.TrimLeft(value, ", \t\r\n\f")
		end := strings.IndexAny(value, " \t\r\n\f")
		if end < 0 {
			end = len(value)
		}
		ref := value[:end]
		value = value[end:]
		size := ""
		if bare := strings.TrimRight(ref, ","); bare != ref {
			ref = bare
		} else {
			size, value = cutOutsideBrackets(value)
		}
		address, ok := p.part(ref, Image)
		if size = strings.Trim(size, " \t\r\n\f"); !ok || !isSize(size) || strings.ContainsAny(address, " \t\r\n\f") {
			continue
		}
		list = append(list, strings.TrimSpace(strings.TrimSuffix(address, ",")+" "+size))
	}
	return strings.Join(list, ", ")
}

// cutOutsideBrackets splits at the first comma that is in no brackets.
func cutOutsideBrackets(s string) (before, after string) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth <= 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

// isSize reports whether a text looks like "2x" or "640w 480h".
func isSize(s string) bool {
	return len(s) < 64 && strings.Trim(s, "0123456789.+-exwh ") == ""
}
