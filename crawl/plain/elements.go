package plain

import "golang.org/x/net/html/atom"

// role says what an element is to the text.
type role uint8

const (
	block   role = 1 << iota // begins and ends a paragraph
	void                     // has no end
	dropped                  // is not read
	holder                   // items and cells within it are its own
)

// roles are those of all elements but those within a line.
var roles = makeRoles()

func makeRoles() map[tag]role {
	all := make(map[tag]role)
	for r, atoms := range map[role][]atom.Atom{
		block: {
			atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd,
			atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
			atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header,
			atom.Hgroup, atom.Html, atom.Legend, atom.Li, atom.Listing, atom.Main, atom.Nav, atom.P, atom.Plaintext,
			atom.Pre, atom.Section, atom.Summary, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr,
			atom.Xmp,
		},
		block | holder: {atom.Dl, atom.Menu, atom.Ol, atom.Table, atom.Ul},
		block | void:   {atom.Br, atom.Hr},
		void: {
			atom.Area, atom.Base, atom.Col, atom.Embed, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
			atom.Source, atom.Track, atom.Wbr,
		},
		dropped: {
			atom.Audio, atom.Button, atom.Canvas, atom.Datalist, atom.Iframe, atom.Math, atom.Noembed, atom.Noframes,
			atom.Noscript, atom.Object, atom.Script, atom.Select, atom.Style, atom.Svg, atom.Template, atom.Textarea,
			atom.Title, atom.Video,
		},
	} {
		for _, a := range atoms {
			all[tag(a)] = r
		}
	}
	return all
}

// kinds are elements whose text is of another kind than that around them.
var kinds = map[tag]Kind{
	tag(atom.H1): Heading1, tag(atom.H2): Heading2, tag(atom.H3): Heading3, tag(atom.H4): Heading4,
	tag(atom.H5): Heading5, tag(atom.H6): Heading6, tag(atom.Li): ListItem, tag(atom.Pre): Preformatted,
	tag(atom.Listing): Preformatted, tag(atom.Xmp): Preformatted, tag(atom.Plaintext): Preformatted,
}

// implied are the elements that a start tag ends.
var implied = map[tag][]tag{
	tag(atom.Li): {tag(atom.Li)},
	tag(atom.Dt): {tag(atom.Dt), tag(atom.Dd)}, tag(atom.Dd): {tag(atom.Dt), tag(atom.Dd)},
	tag(atom.Td): {tag(atom.Td), tag(atom.Th)}, tag(atom.Th): {tag(atom.Td), tag(atom.Th)},
	tag(atom.Tr):    {tag(atom.Td), tag(atom.Th), tag(atom.Tr)},
	tag(atom.Tbody): {tag(atom.Tr), tag(atom.Thead)}, tag(atom.Tfoot): {tag(atom.Tr), tag(atom.Tbody)},
	tag(atom.Body): {tag(atom.Head)},
}
