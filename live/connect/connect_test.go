// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// There is one way to say who asks, and nobody in particular may.
func TestWho(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "krb5.conf") // a machine need not have one
	if err := os.WriteFile(conf, []byte("[libdefaults]\n  default_realm = REALM\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KRB5_CONFIG", conf)
	for _, c := range []struct {
		who    Who
		refuse string
	}{
		{Who{}, ""},
		{Who{User: "ann"}, ""},
		{Who{TokenCommand: "print token"}, ""},
		{Who{User: "ann", TokenCommand: "print token"}, "one of --user"},
		{Who{User: "ann", Kerberos: true}, "one of --user"},
		{Who{Principal: "ann@REALM"}, "--principal"},
		{Who{Keytab: "no-such.keytab", Principal: "ann@REALM"}, "no-such.keytab"},
	} {
		config, err := c.who.Config([]string{"http://rm:8088"})
		switch {
		case c.refuse == "" && (err != nil || (config.Auth == nil) != (c.who == Who{})):
			t.Errorf("%+v: %v, %v", c.who, config.Auth, err)
		case c.refuse != "" && (err == nil || !strings.Contains(err.Error(), c.refuse)):
			t.Errorf("%+v: %v, want %q", c.who, err, c.refuse)
		}
	}
}

// An address that is none is refused before anything is asked.
func TestClientRefusesAddresses(t *testing.T) {
	for _, url := range []string{"", "rm1:8088", "ftp://rm1"} {
		f := Flags{URL: []string{url}, Who: Who{Timeout: time.Second}}
		if _, err := f.Client(nil); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}
