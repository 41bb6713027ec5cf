package fetch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// There must be no way out beside newDialer. Of the packages that could be
// one, only these names may be used.
func TestPackage_HasOneDialer(t *testing.T) {
	allowed := map[string]string{
		"net":           "Conn DNSError DefaultResolver Dialer Error TCPConn",
		"net/http":      "DetectContentType Header ParseTime",
		"crypto/tls":    "CertificateVerificationError Client Config NewLRUClientSessionCache RecordHeaderError VersionTLS12",
		"syscall":       "Conn EAGAIN ECONNREFUSED EMFILE EWOULDBLOCK Errno MSG_PEEK RawConn Recvfrom",
		"os":            "ErrDeadlineExceeded",
		"net/netip":     "*",
		"net/url":       "",
		"os/exec":       "",
		"unsafe":        "",
		"plugin":        "",
		"net/rpc":       "",
		"net/smtp":      "",
		"net/textproto": "CanonicalMIMEHeaderKey",
	}
	files, _ := filepath.Glob("*.go")
	below, err := filepath.Glob("*/*.go")
	if files = append(files, below...); err != nil || len(files) < 30 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	var dialers []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		imports := make(map[string]string) // by the name in use
		for _, spec := range file.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if spec.Name != nil {
				t.Errorf("%s: %s is imported under another name", name, p)
			}
			imports[path.Base(p)] = p
		}
		for _, d := range file.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && isDialer(lit.Type) {
					f, _ := d.(*ast.FuncDecl)
					dialers = append(dialers, f.Name.Name)
				}
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := sel.X.(*ast.Ident)
				if !ok {
					return true
				}
				names, watched := allowed[imports[x.Name]]
				if watched && names != "*" && !slices.Contains(strings.Fields(names), sel.Sel.Name) {
					t.Errorf("%v: %s.%s could be another way out", fset.Position(n.Pos()), x.Name, sel.Sel.Name)
				}
				return true
			})
		}
	}
	if !slices.Equal(dialers, []string{"newDialer"}) {
		t.Errorf("net.Dialer is made in %v, want newDialer alone", dialers)
	}
}

func isDialer(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Dialer"
}
