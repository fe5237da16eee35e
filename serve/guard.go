// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
)

// guard lets through only what the person who started the server asks for.
type guard struct {
	token string
	port  string
	next  http.Handler
}

// newToken draws 128 bits.
func newToken() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// cookie is the name of the cookie; browsers do not keep the cookies of ports apart.
func (g *guard) cookie() string { return "yardmaster-" + g.port }

// policyOfPage is what the workbench's own page may load.
const policyOfPage = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policyOfPage)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !g.host(r.Host) {
		http.Error(w, "This workbench answers to 127.0.0.1 and localhost alone.", http.StatusMisdirectedRequest)
		return
	}
	if !g.origin(r) {
		http.Error(w, "This workbench answers to its own page alone.", http.StatusForbidden)
		return
	}
	if token := r.URL.Query().Get("token"); r.URL.Path == "/" && r.Method == http.MethodGet && token != "" {
		if !same(token, g.token) {
			http.Error(w, "The token is not the one of this workbench; open the URL that yardmaster serve printed.", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: g.cookie(), Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	c, err := r.Cookie(g.cookie())
	if err != nil || !same(c.Value, g.token) {
		http.Error(w, "Open the URL that yardmaster serve printed: it has the token that this page needs.", http.StatusForbidden)
		return
	}
	g.next.ServeHTTP(w, r)
}

// same compares without telling by its time how much is alike.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// host reports whether a Host header names the loopback address and the port, so that no other name that leads here
// is served. Browsers leave port 80 out.
func (g *guard) host(host string) bool {
	if g.port == "80" && !strings.Contains(host, ":") {
		host += ":80"
	}
	name, port, err := net.SplitHostPort(host)
	return err == nil && port == g.port && (name == "127.0.0.1" || name == "localhost")
}

// origin reports whether the request comes from the workbench's own page, or from nowhere (an address that was typed).
// What changes something must say where it comes from.
func (g *guard) origin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	}
	name, ok := strings.CutPrefix(origin, "http://")
	return ok && name == r.Host
}
