// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
)

// started serves a folder with a result in it and returns the workbench and its address.
func started(t *testing.T, command Command) (b *Workbench, dir, address string) {
	t.Helper()
	dir = t.TempDir()
	files := map[string]string{
		"old/manifest.json":               `{"yardmaster":"1","kind":"run","command":"yardmaster run","scenario":{"name":"old"},"policies":["fifo"],"seeds":[1]}`,
		"old/jobs.csv":                    "id,name\n0,a\n",
		"old/report.html":                 "<p>page</p>",
		".half.part-1/manifest.json":      `{"yardmaster":"1","kind":"run"}`,
		"deep/er/cmp/manifest.json":       `{"yardmaster":"1","kind":"compare","scenario":{"name":"x"},"policies":["a","b"],"seeds":[1,2]}`,
		"deep/er/cmp/a/jobs.csv":          "id,name\n",
		"secret.csv":                      "no part of a result",
		"s.yaml":                          "name: s",
		"broken/manifest.json":            `{`,
		"not-ours/manifest.json":          `{"name":"an app"}`,
		"old/.hidden.json":                `{}`,
		"old/notes.exe":                   "x",
		"deep/er/cmp/a/inside.json":       `{}`,
		"deep/er/cmp/unread/summary.json": `{`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	b, err := New(ctx, dir, 0, command)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- b.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	address, _, _ = strings.Cut(b.URL(), "/?")
	return b, dir, address
}

// ask sends a request as a browser would not, or would: with the headers given.
func ask(t *testing.T, b *Workbench, method, url, body string, headers map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", b.guarded.cookie()+"="+b.guarded.token)
	for k, v := range headers {
		if k == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

// Requests without the token, of another origin and to another name of this host are refused, whatever they ask for.
func TestGuard(t *testing.T) {
	ran := false
	b, _, address := started(t, func(context.Context, []string, io.Writer, func(experiment.Progress)) error { ran = true; return nil })
	port := b.guarded.port
	for _, path := range []string{"/", "/assets/main.js", "/api/results", "/file/old/report.html"} {
		if code, _, h := ask(t, b, "GET", address+path, "", nil); code != http.StatusOK || h.Get("Content-Security-Policy") == "" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s with the cookie: %d, %v", path, code, h)
		}
		for name, headers := range map[string]map[string]string{
			"no token":        {"Cookie": ""},
			"a wrong token":   {"Cookie": b.guarded.cookie() + "=00000000000000000000000000000000"},
			"another origin":  {"Origin": "http://evil.example"},
			"no origin":       {"Origin": "null"},
			"another port":    {"Origin": "http://127.0.0.1:1"},
			"another site":    {"Sec-Fetch-Site": "cross-site"},
			"a sister site":   {"Sec-Fetch-Site": "same-site"},
			"another name":    {"Host": "evil.example:" + port},
			"without a port":  {"Host": "127.0.0.1"},
			"a wrong port":    {"Host": "127.0.0.1:1"},
			"a longer name":   {"Host": "127.0.0.1.evil.example:" + port},
			"every interface": {"Host": "0.0.0.0:" + port},
		} {
			if code, text, _ := ask(t, b, "GET", address+path, "", headers); code != http.StatusForbidden && code != http.StatusMisdirectedRequest {
				t.Errorf("%s with %s: %d %.60q", path, name, code, text)
			}
		}
	}
	question := `{"ask":"what-if","name":"n","seeds":1,"changes":[{"path":"seed","value":"2"}]}`
	if code, _, _ := ask(t, b, "POST", address+"/api/runs", question, nil); code != http.StatusForbidden || ran {
		t.Errorf("a question that does not say where it comes from: %d, ran: %t", code, ran)
	}
	if code, _, _ := ask(t, b, "GET", address+"/?token=wrong", "", map[string]string{"Cookie": ""}); code != http.StatusForbidden {
		t.Errorf("a wrong token: %d", code)
	}
	code, _, h := ask(t, b, "GET", b.URL(), "", map[string]string{"Cookie": ""})
	if cookie := h.Get("Set-Cookie"); code != http.StatusSeeOther || !strings.Contains(cookie, "SameSite=Strict") || !strings.Contains(cookie, "HttpOnly") {
		t.Errorf("the printed URL: %d, cookie %q", code, cookie)
	}
	if !strings.HasPrefix(b.listen.Addr().String(), "127.0.0.1:") {
		t.Errorf("it listens on %s", b.listen.Addr())
	}
}

// Browsers leave the port out of Host and Origin where it is 80; a name without one is that of no other port.
func TestHostWithoutPort(t *testing.T) {
	for _, c := range []struct {
		port, host string
		want       bool
	}{
		{"80", "127.0.0.1", true}, {"80", "localhost", true}, {"80", "127.0.0.1:80", true}, {"80", "127.0.0.1:81", false},
		{"80", "evil.example", false}, {"80", "", false}, {"80", "::1", false}, {"8080", "127.0.0.1", false}, {"8080", "127.0.0.1:8080", true},
	} {
		if got := (&guard{port: c.port}).host(c.host); got != c.want {
			t.Errorf("at port %s, %q is served: %t", c.port, c.host, got)
		}
	}
}

// Only files of results are handed out, and pages of results in a sandbox.
func TestFiles(t *testing.T) {
	b, dir, address := started(t, nil)
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "outside.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(dir), "outside.json"), filepath.Join(dir, "old", "link.json")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"old/jobs.csv": 200, "old/report.html": 200, "deep/er/cmp/a/jobs.csv": 200, "secret.csv": 404, "s.yaml": 404, "old/.hidden.json": 404, "old/notes.exe": 404,
		"..%2foutside.json": 404, "old/..%2f..%2foutside.json": 404, "old/link.json": 404, "old": 404, "old/none.csv": 404,
	} {
		if code, text, _ := ask(t, b, "GET", address+"/file/"+path, "", nil); code != want {
			t.Errorf("%s: %d %.60q, want %d", path, code, text, want)
		}
	}
	if _, _, h := ask(t, b, "GET", address+"/file/old/report.html", "", nil); !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox allow-scripts allow-downloads;") {
		t.Errorf("a page has the policy %q", h.Get("Content-Security-Policy"))
	}
}

// Results and scenario files are found at any depth; folders in the making, broken ones and others' are not.
func TestList(t *testing.T) {
	b, _, _ := started(t, nil)
	list, left, err := b.find()
	if err != nil || left != 0 {
		t.Fatal(left, err)
	}
	got := map[string]string{}
	for _, e := range list {
		got[e.Path] = e.Kind
		if e.Kind != "scenario" && !e.Jobs {
			t.Errorf("%s has no jobs", e.Path)
		}
	}
	if len(got) != 3 || got["old"] != "run" || got["deep/er/cmp"] != "compare" || got["s.yaml"] != "scenario" {
		t.Errorf("found %v", got)
	}
}

// However many scenario files there are, they hide no result; the oldest are left out, whatever their names, and counted.
func TestListOfMany(t *testing.T) {
	b, dir, _ := started(t, nil)
	for i := range mostEntries {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("a%d.yaml", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Unix(1e9, 0)
	for _, name := range []string{"a0.yaml", "old/manifest.json"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	list, left, err := b.find()
	if err != nil || left != 1 || len(list) != mostEntries+2 || list[len(list)-1].Path != "old" {
		t.Errorf("%d are listed, %d are left out, the last is %v: %v", len(list), left, list[len(list)-1].Path, err)
	}
	if slices.ContainsFunc(list, func(e entry) bool { return e.Path == "a0.yaml" }) {
		t.Error("the oldest file is listed instead of a newer one")
	}
}

// A question becomes the command line that answers it; what cannot be one is refused at its field.
func TestQuestions(t *testing.T) {
	b, dir, _ := started(t, nil)
	set := []strict.Setting{{Path: "cluster.racks", Value: "4"}}
	for name, c := range map[string]struct {
		q    question
		want string // of the command line, without the folder
	}{
		"what-if":        {question{Ask: "what-if", Base: "old", Policy: "fifo", Changes: set, Seeds: 3, Name: "new"}, "yardmaster compare DIR/old --policies fifo --what-if cluster.racks=4 --seeds 3 --out DIR/new"},
		"built-in":       {question{Ask: "what-if", Changes: append(set, strict.Setting{Path: "seed", Value: "2"}), Seeds: 1, Name: "new"}, "yardmaster compare --what-if 'cluster.racks=4; seed=2' --seeds 1 --out DIR/new"},
		"explain":        {question{Ask: "explain", Base: "deep/er/cmp", Policy: "b", Job: "7"}, "yardmaster explain DIR/deep/er/cmp 7 --out DIR/deep/er/cmp-explain-7-b --policy b"},
		"taken":          {question{Ask: "what-if", Changes: set, Seeds: 1, Name: "old"}, "name: "},
		"outside":        {question{Ask: "what-if", Changes: set, Seeds: 1, Name: "../x"}, "name: "},
		"no name":        {question{Ask: "what-if", Changes: set, Seeds: 1}, "name: "},
		"hidden":         {question{Ask: "what-if", Changes: set, Seeds: 1, Name: ".x"}, "name: "},
		"no seeds":       {question{Ask: "what-if", Changes: set, Name: "n"}, "seeds: "},
		"nothing":        {question{Ask: "what-if", Seeds: 1, Name: "n"}, ": nothing is changed"},
		"empty value":    {question{Ask: "what-if", Changes: []strict.Setting{{Path: "seed"}}, Seeds: 1, Name: "n"}, "seed: "},
		"two in one":     {question{Ask: "what-if", Changes: []strict.Setting{{Path: "seed", Value: "1; seeds=2"}}, Seeds: 1, Name: "n"}, "seed: "},
		"no such base":   {question{Ask: "what-if", Base: "none", Changes: set, Seeds: 1, Name: "n"}, "base: "},
		"escaping base":  {question{Ask: "explain", Base: "../..", Job: "1"}, "base: "},
		"a flag as job":  {question{Ask: "explain", Base: "old", Job: "--out=/tmp/x"}, "job: "},
		"something else": {question{Ask: "reproduce"}, ": ask: found"},
	} {
		args, _, faults := b.args(&c.q)
		got := strings.ReplaceAll(result.CommandLine(args), dir, "DIR")
		if len(faults) > 0 {
			got = faults[0].Path + ": " + faults[0].Text
		}
		if !strings.HasPrefix(got, c.want) || len(faults) == 0 && got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// followed asks for the state of a run until it has ended.
func followed(t *testing.T, b *Workbench, address, id string) (now status) {
	t.Helper()
	for now.State = waiting; now.State == waiting || now.State == running; {
		code, text, _ := ask(t, b, "GET", address+"/api/runs/"+id, "", nil)
		if err := json.Unmarshal([]byte(text), &now); err != nil || code != http.StatusOK {
			t.Fatalf("%d %s: %v", code, text, err)
		}
		time.Sleep(time.Millisecond) // the run needs the processor more
	}
	return now
}

// A run tells its progress, what was wrong with its input at which field, and that it was cancelled.
func TestRuns(t *testing.T) {
	bad := &strict.InputError{Err: strict.Errors{{Path: "seed", Problem: "bad value"}}}
	for name, c := range map[string]struct {
		err  error
		want status
	}{
		"done": {nil, status{State: done, Share: 1, Result: "n"}}, "refused": {bad, status{State: refused, Share: 0.5, Faults: []fault{{"seed", "seed: bad value"}}}},
		"failed": {errors.New("no disk"), status{State: failed, Share: 0.5, Faults: []fault{{"", "no disk"}}}},
	} {
		b, _, address := started(t, func(_ context.Context, args []string, out io.Writer, progress func(experiment.Progress)) error {
			progress(experiment.Progress{Done: 1, Total: 2, Label: args[0]})
			io.WriteString(out, "text")
			return c.err
		})
		origin := map[string]string{"Origin": address}
		code, text, _ := ask(t, b, "POST", address+"/api/runs", `{"ask":"what-if","name":"n","seeds":1,"changes":[{"path":"seed","value":"2"}]}`, origin)
		if code != http.StatusOK {
			t.Fatalf("%s: %d %s", name, code, text)
		}
		got := followed(t, b, address, "0")
		if got.State != c.want.State || got.Share != c.want.Share || got.Result != c.want.Result || got.Output != "text" || len(got.Faults) != len(c.want.Faults) || len(got.Faults) > 0 && got.Faults[0] != c.want.Faults[0] {
			t.Errorf("%s: %+v", name, got)
		}
	}
	begun := make(chan struct{})
	b, _, address := started(t, func(ctx context.Context, _ []string, _ io.Writer, _ func(experiment.Progress)) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	})
	origin := map[string]string{"Origin": address}
	for range 2 { // the second waits for the first, and is cancelled while it does
		ask(t, b, "POST", address+"/api/runs", `{"ask":"what-if","name":"n","seeds":1,"changes":[{"path":"seed","value":"2"}]}`, origin)
	}
	<-begun
	for _, id := range []string{"1", "0"} {
		ask(t, b, "POST", address+"/api/runs/"+id+"/cancel", "", origin)
		if got := followed(t, b, address, id); got.State != cancelled {
			t.Errorf("run %s: %+v", id, got)
		}
	}
}

// Every field of the built-in scenario and its policy is in the form, with its value and what it means.
func TestForm(t *testing.T) {
	b, _, _ := started(t, nil)
	s, err := b.scenario("")
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]field{}
	for _, f := range fieldsOf(s, &s.Policy, "policy."+s.Policy.Name+".") {
		if _, twice := by[f.Path]; twice {
			t.Errorf("%s is there twice", f.Path)
		}
		by[f.Path] = f
	}
	for path, want := range map[string]string{"cluster.racks": "5", "cluster.classes[0].nodes": "100", "seed": "1"} {
		if f := by[path]; f.Value != want || f.Doc == "" || f.Type == "" {
			t.Errorf("%s: %+v, want %s", path, f, want)
		}
	}
	for path, f := range by {
		if f.Doc == "" {
			t.Errorf("%s has no doc", path)
		}
		if f.Value == "" || strings.HasPrefix(path, "workload") { // a workload's parts exclude each other
			continue
		}
		if _, err := s.With([]strict.Setting{{Path: path, Value: f.Value}}); err != nil {
			t.Errorf("%s=%s, which is its value, is refused: %v", path, f.Value, err)
		}
	}
}

// The form of a comparison offers what was compared, with the paths of its parameters, where the policies were named on the
// command line alone and the scenario runs another one; of a what-if the scenario as that changed it.
func TestFormOfPlainNames(t *testing.T) {
	b, dir, address := started(t, nil)
	manifest := `{"yardmaster":"1","kind":"compare","policies":["fair","delay"],"seeds":[1],"changes":{"delay":[{"path":"cluster.classes[0].nodes","value":"6"}]},
		"scenario":{"name":"x","policy":"fifo","cluster":{"classes":[{"nodes":4,"map-slots":2,"reduce-slots":1}]},"workload":{"jobs":[{"name":"a","maps":1,"map-length":"1s"}]}}}`
	if err := os.MkdirAll(filepath.Join(dir, "two"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "two", result.ManifestName), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{"": "policy.fair.by", "fair": "policy.fair.by", "delay": "policy.delay.node-skips"} {
		code, text, _ := ask(t, b, "GET", address+"/api/form?base=two&policy="+label, "", nil)
		var form struct {
			Policies []string
			Policy   string
			Fields   []field
		}
		if err := json.Unmarshal([]byte(text), &form); err != nil || code != http.StatusOK {
			t.Fatalf("%q: %d %.200s (%v)", label, code, text, err)
		}
		if got := strings.Join(form.Policies, " "); got != "fair delay" || form.Policy != strings.Split(want, ".")[1] {
			t.Errorf("%q: it offers %s and shows %s", label, got, form.Policy)
		}
		if !slices.ContainsFunc(form.Fields, func(f field) bool { return f.Path == want }) {
			t.Errorf("%q: no field %s", label, want)
		}
		nodes := map[string]string{"delay": "6"}[label]
		if at := slices.IndexFunc(form.Fields, func(f field) bool { return f.Path == "cluster.classes[0].nodes" }); form.Fields[at].Value != cmp.Or(nodes, "4") {
			t.Errorf("%q: on %s nodes, want %s", label, form.Fields[at].Value, cmp.Or(nodes, "4"))
		}
	}
}
