// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// How large a package and a type may grow before they are split by meaning. Tests do not count.
const (
	mostLines   = 3000 // of a package
	mostMethods = 25   // of a type
)

func TestSizes(t *testing.T) {
	lines, methods := map[string]int{}, map[string]int{}
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || d.Name() == "results") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		pkg := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), "../../"))
		lines[pkg] += strings.Count(string(src), "\n")
		f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[pkg+"."+receiver(fn.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 20 || len(methods) < 100 {
		t.Fatalf("%d packages and %d types found: the test looks in the wrong place", len(lines), len(methods))
	}
	for pkg, n := range lines {
		if n > mostLines {
			t.Errorf("package %s has %d lines, at most %d: split it by meaning", pkg, n, mostLines)
		}
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("type %s has %d methods, at most %d: split it by meaning", name, n, mostMethods)
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
