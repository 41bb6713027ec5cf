package replay

import (
	"strings"

	"golang.org/x/net/html"
)

func set(names string) map[string]bool {
	m := make(map[string]bool)
	for name := range strings.FieldsSeq(names) {
		m[name] = true
	}
	return m
}

var (
	// rawText are elements whose text the tokenizer does not read as markup.
	rawText = set("iframe noembed noframes noscript plaintext script style textarea title xmp")
	// asMarkup are those of them whose text is markup here: no script runs.
	asMarkup = set("noframes noscript")
	// asText are those whose text is shown as it stands, in a pre.
	asText = set("plaintext xmp listing")
	// embeds bring in other documents. What they hold in case that they cannot
	// be shown stays.
	embeds = set("applet embed fencedframe iframe object portal")
	// dropped are elements that do something, or have no meaning without what
	// is left out; their content stays, as far as it is markup.
	dropped = set("animate base frameset noembed noframes noscript param script set track")
	// void elements have no end.
	void = set("area base br col embed hr img input link meta param source track wbr")
	// backgrounds may have a picture behind them.
	backgrounds = set("body table thead tbody tfoot tr td th")
	// painted are attributes of SVG that are read as CSS.
	painted = set("clip-path color-profile cursor fill filter marker marker-end marker-mid marker-start mask stroke")
	// unwanted attributes send, load, run or move something, or name what is
	// no longer the same.
	unwanted = set("accesskey action archive attributionsrc autofocus autoplay blocking cite classid codebase " +
		"crossorigin data download dynsrc formaction formtarget http-equiv imagesrcset integrity " +
		"longdesc lowsrc manifest nonce ping " +
		"profile referrerpolicy srcdoc target xml:base")
)

// attribute returns the value of an attribute as it is written. ok is false if it is left out.
func (r *rewriter) attribute(t html.Token, a html.Attribute) (value string, ok bool) {
	switch key := a.Key; {
	case strings.HasPrefix(key, "on") || unwanted[key]:
		return "", false
	case key == "href" || key == "xlink:href":
		return r.href(t.Data, a.Val)
	case key == "src":
		return r.src(t, a.Val)
	case key == "srcset":
		value = r.srcset(a.Val)
		return value, value != "" && (t.Data == "img" || t.Data == "source")
	case key == "background" && backgrounds[t.Data]:
		return r.part(a.Val, Image)
	case key == "poster" && t.Data == "video":
		return r.part(a.Val, Image)
	case key == "background" || key == "poster":
		return "", false
	case key == "usemap":
		return a.Val, strings.HasPrefix(a.Val, "#")
	case key == "style" || painted[key]:
		c := css{in: a.Val, place: &r.place, limit: 2*len(a.Val) + Slack}
		return c.rewrite(), true
	}
	return a.Val, true
}

// href returns what an element leads to, or shows.
func (r *rewriter) href(element, value string) (string, bool) {
	switch element {
	case "a", "area":
		return r.linkTo(value)
	case "link":
		return value, true // it was changed already
	case "image", "feimage":
		return r.part(value, Image)
	}
	value = trim(value)
	return value, strings.HasPrefix(value, "#") // gradients, symbols and the like
}

func (r *rewriter) src(t html.Token, value string) (string, bool) {
	switch t.Data {
	case "img":
		return r.part(value, Image)
	case "input":
		if i := indexOf(t.Attr, "type"); i >= 0 && strings.EqualFold(trim(t.Attr[i].Val), "image") {
			return r.part(value, Image)
		}
	case "audio", "source", "video":
		r.part(value, Other)
	}
	return "", false
}

// plainName reports whether a name of an element or attribute is an ordinary one.
func plainName(name string) bool {
	if name == "" || !isLetter(name[0]) && name[0] != '_' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && !strings.ContainsRune("-_:.", rune(c)) {
			return false
		}
	}
	return true
}
