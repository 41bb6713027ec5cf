package warc

import "bytes"

// maxHead is how many bytes of a response are searched for the end of its head.
const maxHead = 64 << 10

// httpHead is what the index says about a response.
type httpHead struct {
	length int // including the empty line; everything if there is no such line
	status int // 0 if the first line is no status line
	mime   string
}

// parseHead reads the head at the beginning of an HTTP response.
func parseHead(response []byte) httpHead {
	h := httpHead{length: len(response)}
	rest := response[:min(len(response), maxHead)]
	line, rest := cutLine(rest)
	h.status = parseStatus(line)
	for len(rest) > 0 {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			h.length = min(len(response), maxHead) - len(rest)
			break
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && h.mime == "" && bytes.EqualFold(bytes.TrimSpace(name), []byte("content-type")) {
			h.mime = string(value)
		}
	}
	return h
}

// cutLine returns the first line without its end, and what follows it.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

func parseStatus(line []byte) int {
	if !bytes.HasPrefix(line, []byte("HTTP/")) {
		return 0
	}
	_, code, _ := bytes.Cut(line, []byte(" "))
	if len(code) < 3 {
		return 0
	}
	n := 0
	for _, c := range code[:3] {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
