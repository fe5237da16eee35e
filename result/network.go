// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// LinkColumns are the columns of links.csv with their meaning, in order.
var LinkColumns = [][2]string{
	{"time", "start of the bucket, seconds"}, {"rack", "number of the rack, from 0"}, {"link", "`up` from the rack to the core, or `down`"},
	{"use", "share of the link's capacity in use, mean over the bucket"},
	{"congested", "share of the bucket for which it was congested: above `network.congestion` when last looked at"},
}

// WriteLinks writes links.csv: how the racks' links fared over time, rack by rack.
func WriteLinks(w io.Writer, l *metrics.RackLinks) error {
	out := bufio.NewWriter(w)
	b := appendHead(nil, LinkColumns)
	out.Write(b)
	for i, link := range l.Links {
		for k := range link.Use {
			b = (model.Time(k) * l.Width).AppendDecimal(b[:0])
			b = strconv.AppendInt(append(b, ','), int64(i/2), 10)
			b = append(append(b, ','), [2]string{"up", "down"}[i%2]...)
			b = appendShare(append(b, ','), link.Use[k])
			b = appendShare(append(b, ','), link.Congested[k])
			out.Write(append(b, '\n'))
		}
	}
	return out.Flush()
}

// TrafficColumns are the columns of traffic.csv with their meaning, in order.
var TrafficColumns = [][2]string{
	{"from", "number of the rack that sent, from 0"}, {"to", "number of the rack that received"},
	{"bytes", "what went over links for all purposes; within a rack, from host to host"},
}

// WriteTraffic writes traffic.csv: what went from rack to rack over the run, where there was any.
func WriteTraffic(w io.Writer, t *record.Traffic) error {
	out := bufio.NewWriter(w)
	b := appendHead(nil, TrafficColumns)
	out.Write(b)
	for i, bytes := range t.Bytes {
		if bytes > 0 {
			b = append(strconv.AppendInt(b[:0], int64(i/t.Racks), 10), ',')
			b = append(strconv.AppendInt(b, int64(i%t.Racks), 10), ',')
			out.Write(append(strconv.AppendInt(b, int64(bytes), 10), '\n'))
		}
	}
	return out.Flush()
}

// CircuitColumns are the columns of circuits.csv with their meaning, in order. Times are in seconds.
var CircuitColumns = [][2]string{
	{"from", "number of the rack that sends, from 0"}, {"to", "number of the rack that receives"},
	{"made", "when the switch began to make the circuit"}, {"up", "when it could carry data"}, {"down", "when it was taken down, or the end of the run"},
	{"carrying", "for how long it carried data"}, {"waited", "how long the elephants waited for it that it served first; 0 if none did"},
	{"bytes", "what it carried"},
}

// WriteCircuits writes circuits.csv: which racks were connected when, in the order in which circuits were made.
func WriteCircuits(w io.Writer, r *circuits.Run) error {
	out := bufio.NewWriter(w)
	b := appendHead(nil, CircuitColumns)
	out.Write(b)
	for i := range r.Connections {
		c := &r.Connections[i]
		b = append(strconv.AppendInt(b[:0], int64(c.From), 10), ',')
		b = strconv.AppendInt(b, int64(c.To), 10)
		for _, t := range []model.Time{c.Made, c.Up, c.Down, c.Carrying, c.Waited} {
			b = t.AppendDecimal(append(b, ','))
		}
		b = strconv.AppendInt(append(b, ','), int64(c.Bytes), 10)
		out.Write(append(b, '\n'))
	}
	return out.Flush()
}

// appendHead appends the line that names the columns.
func appendHead(b []byte, columns [][2]string) []byte {
	for i, c := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, c[0]...)
	}
	return append(b, '\n')
}

// appendShare appends a share with six decimals at most.
func appendShare(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, math.Abs(math.Round(v*1e6)/1e6), 'g', -1, 64)
}
