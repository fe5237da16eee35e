// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// fullDisk takes as many bytes as there is room for, and fails in the middle of a line like a file does.
type fullDisk struct {
	io.Writer
	room int
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) <= d.room {
		d.room -= len(b)
		return d.Writer.Write(b)
	}
	n, _ := d.Writer.Write(b[:d.room])
	d.room = 0
	return n, syscall.ENOSPC
}

// TestFullDisk: wherever the disk is full, nothing is changed that is not written down. What is changed can be put back
// from memory; and where the process was killed before that, the next start reads the journal and puts it back.
func TestFullDisk(t *testing.T) {
	changed := 0
	for room := 0; room < 900; room += 7 {
		for _, killed := range []bool{false, true} {
			folder := t.TempDir()
			h := &handOf{value: Of("0.2")}
			s, j := begin(t, h, folder)
			disk := &fullDisk{j.file, room}
			j.lines = disk
			var err error
			for i := 3; err == nil && i < 8; i++ {
				err = s.Set(t.Context(), knob, Number(float64(i)/10), "")
			}
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "takes no more lines") {
				t.Fatalf("with room for %d bytes: %v", room, err)
			}
			disk.room = 1 << 20 // somebody has made room, but what happened meanwhile was not written down
			writes := len(h.writes)
			if err := s.Set(t.Context(), knob, Of("0.9"), ""); !errors.Is(err, syscall.ENOSPC) || len(h.writes) != writes {
				t.Fatalf("with room for %d bytes: changed on without a journal: %v, %v", room, h.writes, err)
			}
			if writes > 0 {
				changed++
			}
			if !killed {
				if err := s.Restore(t.Context(), func(string) {}); h.value != Of("0.2") || s.Left() != "" || !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("with room for %d bytes: %v stands, left %q: %v", room, h.value, s.Left(), err)
				}
			}
			j.Close()
			again, err := OpenJournal(folder, "rm:8088", "root.prod")
			if err != nil {
				t.Fatalf("with room for %d bytes: %v", room, err)
			}
			_, err = Begin(h, again, &handClock{}, Entry{})
			var left *Unfinished
			if errors.As(err, &left) {
				err = left.Session.Restore(t.Context(), func(string) {})
			}
			if err != nil || h.value != Of("0.2") || again.Unfinished() != nil {
				t.Fatalf("with room for %d bytes, killed %t: %v stands after the next start: %v", room, killed, h.value, err)
			}
			again.Close()
		}
	}
	if changed < 10 {
		t.Errorf("only %d of the disks were full after a change", changed)
	}
}

// climber raises the share by a hundredth at each look, and takes what it is refused for an answer.
type climber struct {
	session *Session
	share   float64
}

func (p *climber) Look(context.Context, model.Time) ([]Fact, error) { return nil, nil }

func (p *climber) Act(ctx context.Context, now model.Time) (Move, error) {
	p.share += 0.01
	err := p.session.Set(ctx, knob, Number(p.share), "")
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return Move{Refused: refusal.Reason, Next: now + model.Second}, nil
	}
	return Move{Next: now + model.Second}, err
}

// TestControllerOnFullDisk: a controller whose journal takes no more lines ends at once and puts everything back, also
// where a refusal hides the fault from its pilot. A cluster that is out of reach meanwhile is waited for.
func TestControllerOnFullDisk(t *testing.T) {
	for room := 300; room < 1500; room += 50 {
		h := &handOf{value: Of("0.2")}
		h.write = func(v Value) error {
			if x, _ := strconv.ParseFloat(v.Text, 64); x > 0.22 && x < 0.24 {
				return &Refusal{"not this one"}
			}
			return nil
		}
		s, j := begin(t, h, t.TempDir())
		j.lines = &fullDisk{j.file, room}
		clock := &handClock{}
		reads := 0
		h.read = func() error {
			if j.broken == nil {
				return nil
			}
			if reads++; reads < 4 {
				return errLost
			}
			return nil
		}
		c := &Controller{Pilot: &climber{s, 0.2}, Session: s, Clock: clock, Patience: model.Minute, For: model.Hour, Status: &Status{},
			Log: slog.New(slog.DiscardHandler), Say: func(string) {}}
		err := c.Run(t.Context())
		var stopped *Stopped
		if !errors.As(err, &stopped) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
		if h.value != Of("0.2") || s.Left() != "" || clock.now > model.Minute {
			t.Errorf("with room for %d bytes, after %v: %v stands, left %q", room, clock.now, h.value, s.Left())
		}
	}
}
