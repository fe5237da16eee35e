// SPDX-License-Identifier: Apache-2.0

// Package kerberos proves to a secure cluster who asks: SPNEGO over HTTP, with a keytab or with the tickets that kinit
// got. It implements rest.Auth.
package kerberos

import (
	"fmt"
	"net/http"
	"os"
	"os/user"
	"strings"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/spnego"
)

// Login says as whom to ask. With a keytab the principal is needed; without one the tickets of kinit are used, whoever
// they are for.
type Login struct {
	Config    string // krb5.conf; that of $KRB5_CONFIG or /etc/krb5.conf if empty
	Principal string // name@REALM, or name in the default realm
	Keytab    string // file with the principal's keys
	Cache     string // file with tickets; that of $KRB5CCNAME or /tmp/krb5cc_UID if empty
}

// Ticket signs requests. It is used by one goroutine at a time.
type Ticket struct{ c *client.Client }

// New logs in.
func New(l Login) (*Ticket, error) {
	file := first(l.Config, os.Getenv("KRB5_CONFIG"), "/etc/krb5.conf")
	conf, err := config.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if l.Keytab == "" {
		return fromCache(l.Cache, conf)
	}
	keys, err := keytab.Load(l.Keytab)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Keytab, err)
	}
	name, realm, ok := strings.Cut(l.Principal, "@")
	if !ok {
		realm = conf.LibDefaults.DefaultRealm
	}
	if name == "" || realm == "" {
		return nil, fmt.Errorf("principal %q; allowed: name@REALM, or name with a default realm in %s", l.Principal, file)
	}
	c := client.NewWithKeytab(name, realm, keys, conf, client.DisablePAFXFAST(true))
	if err := c.Login(); err != nil {
		return nil, fmt.Errorf("login of %s@%s by Kerberos: %w", name, realm, err)
	}
	return &Ticket{c}, nil
}

func fromCache(file string, conf *config.Config) (*Ticket, error) {
	file = first(file, strings.TrimPrefix(os.Getenv("KRB5CCNAME"), "FILE:"))
	if file == "" {
		u, err := user.Current()
		if err != nil {
			return nil, err
		}
		file = "/tmp/krb5cc_" + u.Uid
	}
	cache, err := credentials.LoadCCache(file)
	if err != nil {
		return nil, fmt.Errorf("tickets in %s: %w; allowed: those of kinit, or a keytab", file, err)
	}
	c, err := client.NewFromCCache(cache, conf, client.DisablePAFXFAST(true))
	if err != nil {
		return nil, fmt.Errorf("tickets in %s: %w", file, err)
	}
	return &Ticket{c}, nil
}

// Sign puts a ticket for the service HTTP of the request's host on it.
func (t *Ticket) Sign(r *http.Request) error {
	return spnego.SetSPNEGOHeader(t.c, r, "HTTP/"+r.URL.Hostname())
}

// Close forgets the tickets and ends what renews them.
func (t *Ticket) Close() { t.c.Destroy() }

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
