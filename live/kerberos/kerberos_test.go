// SPDX-License-Identifier: Apache-2.0

package kerberos_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/goidentity/v6"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/service"
	"github.com/jcmturner/gokrb5/v8/spnego"

	"github.com/yardmaster/yardmaster/live/kerberos"
	"github.com/yardmaster/yardmaster/live/rest"
)

// realm starts a KDC of MIT Kerberos on loopback, with the user alice and the service HTTP/localhost.
func realm(t *testing.T) (conf, keys, serviceKeys string) {
	for _, tool := range []string{"krb5kdc", "kdb5_util", "kadmin.local"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("Kerberos is not tried: %s not found (Debian's krb5-kdc and krb5-admin-server are needed)", tool)
		}
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	conf = file("krb5.conf", fmt.Sprintf(`[libdefaults]
 default_realm = YARD.TEST
 dns_lookup_kdc = false
 dns_lookup_realm = false
 udp_preference_limit = 1
[realms]
 YARD.TEST = {
  kdc = 127.0.0.1:%d
 }
[domain_realm]
 localhost = YARD.TEST
`, port))
	kdcConf := file("kdc.conf", fmt.Sprintf(`[realms]
 YARD.TEST = {
  database_name = %[1]s/principal
  key_stash_file = %[1]s/stash
  acl_file = %[1]s/acl
  kdc_listen = 127.0.0.1:%[2]d
  kdc_tcp_listen = 127.0.0.1:%[2]d
  supported_enctypes = aes256-cts-hmac-sha1-96:normal
 }
`, dir, port))
	env := append(os.Environ(), "KRB5_CONFIG="+conf, "KRB5_KDC_PROFILE="+kdcConf)
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
	}
	keys, serviceKeys = filepath.Join(dir, "alice.keytab"), filepath.Join(dir, "http.keytab")
	run("kdb5_util", "create", "-s", "-P", "secret")
	run("kadmin.local", "addprinc", "-randkey", "alice")
	run("kadmin.local", "addprinc", "-randkey", "HTTP/localhost")
	run("kadmin.local", "ktadd", "-k", keys, "alice")
	run("kadmin.local", "ktadd", "-k", serviceKeys, "HTTP/localhost")
	kdc := exec.Command("krb5kdc", "-n", "-P", filepath.Join(dir, "pid"))
	kdc.Env = env
	if err := kdc.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = kdc.Process.Kill()
		_ = kdc.Wait()
	})
	for range 100 { // until it listens
		if c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second); err == nil {
			c.Close()
			return conf, keys, serviceKeys
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the KDC does not listen")
	return
}

// A client with a keytab gets in under its name; without a ticket nobody does.
func TestKDC(t *testing.T) {
	conf, keys, serviceKeys := realm(t)
	kt, err := keytab.Load(serviceKeys)
	if err != nil {
		t.Fatal(err)
	}
	who := ""
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := goidentity.FromHTTPRequestContext(r); id != nil {
			who = id.UserName() + "@" + id.Domain()
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"clusterInfo":{"haState":"ACTIVE"}}`)
	})
	s := httptest.NewServer(spnego.SPNEGOKRB5Authenticate(inner, kt, service.DecodePAC(false)))
	defer s.Close()
	address := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	ticket, err := kerberos.New(kerberos.Login{Config: conf, Principal: "alice", Keytab: keys})
	if err != nil {
		t.Fatal(err)
	}
	defer ticket.Close()
	c, err := rest.New(rest.Config{URLs: []string{address}, Auth: ticket, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := c.Info(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if who != "alice@YARD.TEST" {
		t.Errorf("the service saw %q", who)
	}
	c, err = rest.New(rest.Config{URLs: []string{address}, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Info(context.Background()); err == nil || !strings.Contains(err.Error(), "401 Unauthorized") {
		t.Errorf("without a ticket: %v", err)
	}
	if _, err := kerberos.New(kerberos.Login{Config: conf, Principal: "mallory", Keytab: keys}); err == nil {
		t.Error("a principal without a key in the keytab got in")
	}
}

// What is missing is named.
func TestMissing(t *testing.T) {
	if _, err := kerberos.New(kerberos.Login{Config: "testdata/none"}); err == nil || !strings.Contains(err.Error(), "testdata/none") {
		t.Errorf("%v", err)
	}
}
