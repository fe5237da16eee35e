// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServeKilled kills the workbench in the middle of a run: the folder holds no half result, the old one is whole, and
// the next workbench lists the old one alone.
func TestServeKilled(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	must(t, "run", "--out", filepath.Join(dir, "old"))
	cmd := exec.Command(path, "serve", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer limit.Stop()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	resp, err := client.Get(strings.TrimSpace(url))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	address, _, _ := strings.Cut(url, "/?")
	ask, _ := http.NewRequest("POST", address+"/api/runs", strings.NewReader(`{"ask":"what-if","base":"old","policy":"fair","seeds":10000,"name":"new","changes":[{"path":"cluster.racks","value":"4"}]}`))
	ask.Header.Set("Origin", address)
	if resp, err = client.Do(ask); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", resp, err)
	}
	resp.Body.Close()
	for now := []byte(nil); !bytes.Contains(now, []byte(" of 20000 runs")); {
		resp, err := client.Get(address + "/api/runs/0")
		if err != nil {
			t.Fatal(err)
		}
		now, _ = io.ReadAll(resp.Body)
		resp.Body.Close()
		if bytes.Contains(now, []byte(`"faults"`)) {
			t.Fatalf("the run has ended: %s", now)
		}
		time.Sleep(20 * time.Millisecond) // the run needs the processor more
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "old" && !strings.HasPrefix(e.Name(), ".") {
			t.Errorf("the killed run left %s", e.Name())
		}
	}
	if o := must(t, "explain", filepath.Join(dir, "old"), "17", "--no-what-if"); !strings.Contains(o.out, "job 17") {
		t.Errorf("the old result does not explain: %s", o.out)
	}
}
