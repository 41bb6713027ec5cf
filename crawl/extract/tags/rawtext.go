package tags

import "bytes"

// endTagAt reports whether the end tag of name, which is in lower case, is at src[i:].
func endTagAt(src []byte, i int, name string) bool {
	return len(src) > i+1 && src[i] == '<' && src[i+1] == '/' && nameAt(src, i+2, name)
}

// nameAt reports whether a tag's name is at src[i:], with its end.
func nameAt(src []byte, i int, name string) bool {
	if len(src) <= i+len(name) {
		return false
	}
	for j := range len(name) {
		if Lower(src[i+j]) != name[j] {
			return false
		}
	}
	return class[src[i+len(name)]]&endsName != 0
}

// rawTextEnd returns where the text ends that src[i:] begins with and that only the end
// tag of name ends.
func rawTextEnd(src []byte, i int, name string) int {
	for {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 {
			return len(src)
		}
		i += n
		if endTagAt(src, i, name) {
			return i
		}
		i++
	}
}

// scriptEnd returns where the script ends that src[i:] begins with. A script may hide in
// "<!--" and "-->", and what is hidden may contain "<script>" and "</script>"
// without ending it (HTML standard §13.2.5.15 and following).
func scriptEnd(src []byte, i int) int {
	for {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 {
			return len(src)
		}
		i += n
		if endTagAt(src, i, "script") {
			return i
		}
		if !bytes.HasPrefix(src[i:], []byte("<!--")) {
			i++
			continue
		}
		var ended bool
		if i, ended = hiddenEnd(src, i+len("<!--")); ended {
			return i
		}
	}
}

// hiddenEnd reads the hidden part of a script, from behind its "<!--". It
// returns where it ends, and whether the script ends with it.
func hiddenEnd(src []byte, i int) (end int, script bool) {
	inner := false // within a script in the script
	for dashes := 2; i < len(src); i++ {
		switch src[i] {
		case '-':
			dashes++
			continue
		case '>':
			if dashes >= 2 {
				return i + 1, false
			}
		case '<':
			switch {
			case endTagAt(src, i, "script"):
				if !inner {
					return i, true
				}
				inner = false
				i += len("</script") // and the byte that ends the name
			case inner:
			case nameAt(src, i+1, "script"):
				inner = true
				i += len("<script")
			case i+1 < len(src) && src[i+1] != '/' && !IsLetter(src[i+1]):
				// The standard would go on hiding. x/net/html does not, and to
				// stay in step with it is worth more than such a script.
				return i + 1, false
			}
		}
		dashes = 0
	}
	return len(src), false
}
