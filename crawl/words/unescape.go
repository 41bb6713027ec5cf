package words

// AppendUnescaped appends a URL with its percent escapes undone.
func AppendUnescaped(b, url []byte) []byte {
	for i := 0; i < len(url); i++ {
		if url[i] == '%' && i+2 < len(url) {
			hi, lo := unhex(url[i+1]), unhex(url[i+2])
			if hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		b = append(b, url[i])
	}
	return b
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
