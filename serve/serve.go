// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"time"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/report"
)

//go:embed assets
var assets embed.FS

// Command runs one command line of yardmaster, without its name. What it prints goes to out; progress hears how far it
// has come. It ends soon after ctx is cancelled.
type Command func(ctx context.Context, args []string, out io.Writer, progress func(experiment.Progress)) error

// Workbench is a server over one folder of results.
type Workbench struct {
	dir     string
	root    *os.Root // of dir: nothing outside is read
	runs    *runs
	listen  net.Listener
	guarded *guard
}

// New opens a workbench on the folder, at a port of the loopback address; 0 is any free one. Runs end with ctx.
func New(ctx context.Context, dir string, port int, command Command) (*Workbench, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		root.Close()
		return nil, err
	}
	b := &Workbench{dir: dir, root: root, runs: newRuns(ctx, command), listen: l}
	_, at, _ := net.SplitHostPort(l.Addr().String())
	b.guarded = &guard{token: newToken(), port: at, next: b.routes()}
	return b, nil
}

// URL is the address to open, with its token.
func (b *Workbench) URL() string {
	return fmt.Sprintf("http://127.0.0.1:%s/?token=%s", b.guarded.port, b.guarded.token)
}

// Serve answers until ctx is cancelled; then it ends what runs and returns nil.
func (b *Workbench) Serve(ctx context.Context) error {
	defer b.root.Close()
	server := &http.Server{Handler: b.guarded, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	err := server.Serve(b.listen)
	b.runs.wait()
	if errors.Is(err, http.ErrServerClosed) && ctx.Err() != nil {
		return nil
	}
	return err
}

func (b *Workbench) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { sendAsset(w, "index.html") })
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) { sendAsset(w, r.PathValue("name")) })
	mux.HandleFunc("GET /api/results", b.listResults)
	mux.HandleFunc("GET /api/result", b.oneResult)
	mux.HandleFunc("GET /api/form", b.form)
	mux.HandleFunc("GET /api/changed", b.changed)
	mux.HandleFunc("GET /file/{path...}", b.file)
	mux.HandleFunc("POST /api/runs", b.start)
	mux.HandleFunc("GET /api/runs/{id}", b.runs.state)
	mux.HandleFunc("POST /api/runs/{id}/cancel", b.runs.cancel)
	return mux
}

// kinds are the types of the files that are handed out, by extension.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".csv": "text/csv; charset=utf-8", ".log": "text/plain; charset=utf-8", ".parquet": "application/vnd.apache.parquet",
}

// sendAsset sends a file of the page. The style sheet of reports is one of them, so that both look alike.
func sendAsset(w http.ResponseWriter, name string) {
	src, err := assets.ReadFile("assets/" + name)
	if name == "report.css" {
		src, err = []byte(report.StyleSheet()), nil
	}
	if err != nil {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	w.Write(src)
}

// reply sends v as JSON.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

// refuse sends an error as JSON: what was wrong, at which fields.
func refuse(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{"faults": faultsOf(err)})
}
