// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTasksOf(t *testing.T) {
	body := `{"jobs":{"job":[{"id":"job_1_0001","mapsTotal":20,"mapsCompleted":7,"mapsRunning":4,"reducesTotal":2,"reducesCompleted":0,"reducesRunning":1}]}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/proxy/application_1_0001/ws/v1/mapreduce/jobs" {
			http.Redirect(w, r, "/cluster/app/application_1_0002", http.StatusFound) // its master is not there yet
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body)
	}))
	defer server.Close()
	c, err := New(Config{URLs: []string{server.URL}, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	maps, reduces, err := c.TasksOf(t.Context(), "application_1_0001")
	if err != nil || maps != (Tasks{20, 7, 4}) || reduces != (Tasks{2, 0, 1}) {
		t.Errorf("%v %v %v", maps, reduces, err)
	}
	if _, _, err := c.TasksOf(t.Context(), "application_1_0002"); err == nil {
		t.Error("a master that is not there answers")
	}
	body = `{"jobs":{}}`
	if _, _, err := c.TasksOf(t.Context(), "application_1_0001"); err == nil || !strings.Contains(err.Error(), "tells of no job") {
		t.Error(err)
	}
}
