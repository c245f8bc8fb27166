// Package dynaproof is what dynaproof and dynaproof-local say to each other, and knows from which sources of stacks a binary was built,
// so that the two can tell whether they belong together.
package dynaproof

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed stacks/*/*.go accesspatterns/input/*.go go.sum protocol.go
var sources embed.FS

// Sources is a digest of what deploys: the sources of stacks and of what they read JSON with, without their tests, what is said to it, and the modules.
var Sources = sync.OnceValue(func() string {
	sum := sha256.New()
	_ = fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error { // of an embedded folder there is no error
		if err != nil || entry.IsDir() || strings.HasSuffix(path.Base(name), "_test.go") {
			return err
		}
		text, err := sources.ReadFile(name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))
})
