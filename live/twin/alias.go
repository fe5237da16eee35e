// SPDX-License-Identifier: Apache-2.0

package twin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

// Alias gives users and jobs other names: always the same for the same key, and not to be guessed without it. The nil
// alias leaves names as they are.
type Alias struct{ key []byte }

// NewAlias takes the key in a file, and makes one if the file is not there.
func NewAlias(file string) (*Alias, error) {
	key, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return nil, err
		}
		return &Alias{key}, os.WriteFile(file, key, 0o600)
	}
	if err == nil && len(key) < 16 {
		err = fmt.Errorf("%s: found a key of %d bytes; allowed: at least 16, or no such file, then one is made", file, len(key))
	}
	return &Alias{key}, err
}

// of is the name that stands for another of its kind.
func (a *Alias) of(kind, name string) string {
	if name == "" {
		return ""
	}
	h := hmac.New(sha256.New, a.key)
	h.Write([]byte(kind + "\x00" + name))
	return kind + "-" + hex.EncodeToString(h.Sum(nil)[:5])
}

// apply replaces names all over a twin.
func (a *Alias) apply(t *Twin) {
	if a == nil {
		return
	}
	for _, list := range [][]workload.Record{t.Past, t.Present} {
		for i := range list {
			r := &list[i]
			for _, n := range t.Notes { // a note may tell of the job by its name
				if r.Class != "" && strings.Contains(n, "("+r.Class+")") {
					t.hide(r.Class, a.of("job", r.Class))
					break
				}
			}
			r.User, r.Class, r.InputFile = a.of("user", r.User), a.of("job", r.Class), a.of("file", r.InputFile)
		}
	}
	p := conf.Properties{}
	for name, v := range t.Properties {
		p[a.property(name)] = v
	}
	t.Properties = p
}

func (t *Twin) hide(name, alias string) {
	for i := range t.Notes {
		t.Notes[i] = strings.ReplaceAll(t.Notes[i], "("+name+")", "("+alias+")")
	}
}

// property replaces the user in the name of a property.
func (a *Alias) property(name string) string {
	e := conf.Find(name)
	if e == nil || !strings.Contains(e.Name, "<u>") {
		return name
	}
	before, after, _ := strings.Cut(e.Name, "<u>")
	word := before[strings.LastIndex(strings.TrimSuffix(before, "."), ".")+1:] // such as user-settings.
	at := strings.LastIndex(name, "."+word) + 1 + len(word)
	user := strings.TrimSuffix(name[at:], after)
	return name[:at] + a.of("user", user) + after
}
