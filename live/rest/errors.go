// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/yardmaster/yardmaster/internal/printed"
)

// Error is a request that did not get what it asked for.
type Error struct {
	Method, URL string
	Status      int    // of HTTP; 0 if nobody answered
	Text        string // what the server says about it
	Standby     bool   // the server is not the active one
	Active      string // whom the standby names instead; empty if it knows none
	Err         error  // what happened on the way; nil if the server refused

	unsent bool // the request surely did nothing
	final  bool // the same answer would come again
}

// Error says what was asked, of whom, and what was found, in one line: a server may have said anything.
func (e *Error) Error() string { return printed.Line(e.text()) }

func (e *Error) text() string {
	at := e.Method + " " + e.URL + ": "
	switch {
	case e.Standby && e.Active != "":
		return at + "this ResourceManager is standby and names " + e.Active + "; allowed: the address of the active one, or a list of both"
	case e.Standby:
		return at + "this ResourceManager is standby and knows of no active one"
	case e.Err != nil && e.Status != 0:
		return fmt.Sprintf("%s%d %s, %v", at, e.Status, http.StatusText(e.Status), e.Err)
	case e.Err != nil:
		return at + e.Err.Error()
	case e.Text != "":
		return fmt.Sprintf("%s%d %s: %s", at, e.Status, http.StatusText(e.Status), e.Text)
	}
	return fmt.Sprintf("%s%d %s", at, e.Status, http.StatusText(e.Status))
}

// Unwrap returns what happened on the way.
func (e *Error) Unwrap() error { return e.Err }

// Unsent reports whether the request surely did nothing, because it did not reach an active server.
func (e *Error) Unsent() bool { return e.unsent }

// remoteText returns what an answer that refuses says, in one line.
func remoteText(a *answer) string {
	var remote struct {
		RemoteException struct{ Exception, Message string }
	}
	if json.Unmarshal(a.body, &remote) == nil && remote.RemoteException.Exception != "" {
		if x := remote.RemoteException; x.Message != "" {
			return strings.TrimPrefix(x.Message, "java.lang.Exception: ")
		}
		return remote.RemoteException.Exception
	}
	return excerpt(a.body)
}

// excerpt is the beginning of a text, in one line.
func excerpt(b []byte) string {
	const most = 300
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(b[:min(len(b), 4*most)]), "?")), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
