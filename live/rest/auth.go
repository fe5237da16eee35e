// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// UserName is Hadoop's simple authentication: the cluster believes the name.
type UserName string

// Sign puts the name into the query.
func (u UserName) Sign(r *http.Request) error {
	q := r.URL.Query()
	q.Set("user.name", string(u))
	r.URL.RawQuery = strings.ReplaceAll(q.Encode(), "%2C", ",")
	return nil
}

// TokenCommand proves who asks by what a command prints: a header as "Name: value", or a delegation token of Hadoop
// alone. The command runs again when what it printed is older than a minute, so a short-lived token is fine. What it
// prints is never logged.
type TokenCommand struct {
	Command []string // the program and its arguments

	name, value string
	got         time.Time
}

// Sign puts the header on the request.
func (t *TokenCommand) Sign(r *http.Request) error {
	if t.value == "" || time.Since(t.got) > time.Minute {
		if err := t.run(r.Context()); err != nil {
			return err
		}
	}
	r.Header.Set(t.name, t.value)
	return nil
}

func (t *TokenCommand) run(ctx context.Context) error {
	if len(t.Command) == 0 {
		return errors.New("no command that prints a token")
	}
	var errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", t.Command[0], err, excerpt(errOut.Bytes()))
	}
	text := strings.TrimSpace(string(out))
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("%s printed %d lines; allowed: one, a token or Name: value", t.Command[0], len(strings.Split(text, "\n")))
	}
	t.name, t.value, t.got = "X-Hadoop-Delegation-Token", text, time.Now()
	if name, value, ok := strings.Cut(text, ": "); ok {
		t.name, t.value = name, value
	}
	return nil
}
