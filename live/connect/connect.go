// SPDX-License-Identifier: Apache-2.0

// Package connect is the flags that say which cluster a command is about and who asks.
package connect

import (
	"errors"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/kerberos"
	"github.com/yardmaster/yardmaster/live/rest"
)

// Flags name a cluster and who asks.
type Flags struct {
	URL []string `arg:"" help:"Addresses of the ResourceManagers that stand in for each other, such as http://rm1:8088."`
	Who `embed:""`
}

// Who says who asks. All fields empty: nobody in particular.
type Who struct {
	User         string        `placeholder:"NAME" help:"Who asks, under Hadoop's simple authentication (user.name)."`
	TokenCommand string        `placeholder:"COMMAND" help:"Command that prints a delegation token, or a header as 'Name: value'."`
	Kerberos     bool          `help:"Ask with the tickets that kinit got."`
	Keytab       string        `placeholder:"FILE" help:"Ask with the keys in this file (Kerberos)."`
	Principal    string        `placeholder:"NAME@REALM" help:"Whose keys are taken from the keytab."`
	Timeout      time.Duration `default:"10s" help:"How long one request may take."`
}

// Config returns how to ask servers at these addresses.
func (w *Who) Config(urls []string) (rest.Config, error) {
	c := rest.Config{URLs: urls, Timeout: w.Timeout}
	given := 0
	for _, is := range []bool{w.User != "", w.TokenCommand != "", w.Kerberos || w.Keytab != ""} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return c, &strict.InputError{Err: errors.New("allowed: one of --user, --token-command and Kerberos")}
	case w.Principal != "" && w.Keytab == "":
		return c, &strict.InputError{Err: errors.New("--principal: allowed only with --keytab")}
	case w.User != "":
		c.Auth = rest.UserName(w.User)
	case w.TokenCommand != "":
		c.Auth = &rest.TokenCommand{Command: strings.Fields(w.TokenCommand)}
	case w.Kerberos || w.Keytab != "":
		ticket, err := kerberos.New(kerberos.Login{Keytab: w.Keytab, Principal: w.Principal})
		if err != nil {
			return c, &strict.InputError{Err: err}
		}
		c.Auth = ticket
	}
	return c, nil
}

// Client returns a client of the ResourceManagers. change, if not nil, may change how it asks.
func (f *Flags) Client(change func(*rest.Config)) (*rest.Client, error) {
	c, err := f.Config(f.URL)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&c)
	}
	client, err := rest.New(c)
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	return client, nil
}

// History returns a client of a JobHistoryServer.
func (w *Who) History(url string) (*rest.History, error) {
	c, err := w.Config([]string{url})
	if err != nil {
		return nil, err
	}
	h, err := rest.NewHistory(c)
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	return h, nil
}
