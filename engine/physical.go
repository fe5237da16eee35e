// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/fabric"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// physical is the machinery behind the duration models network and resources: what tasks do becomes
// activities of a fluid solver over links, disks and cores. It is nil under replay.
//
// An attempt has a slot from its start to its end (under network a map only while it reads). Slots, the
// groups of reduces that fetch together (shuffle.go) and all else here are flat arrays with free lists.
type physical struct {
	solver *fluid.Solver
	fabric *fabric.Fabric
	full   bool           // the resources model
	disk   fluid.Resource // of host 0, the others follow
	cores  fluid.Resource // of host 0
	clock  []float64      // cycles a second of a core, by host
	tick   model.Time     // on which rates are refreshed, 0 for exact rates

	attempts []attempt
	free     []int32
	groups   []group
	spare    []int32
	open     []int32 // by host: the group that reduces starting now may join, -1 if none

	queued []uint64 // tags of activities that begin when the event is over, or on the tick
	done   []fluid.Done
	next   model.Time // when the next activity ends, as planned
	event  des.Handle
	ticks  model.Time // when the next tick is planned, Forever if none
	stale  bool       // something ended since the last refresh

	byRack   bool    // map output is added up by rack
	single   bool    // map output is not added up
	inRack   []int32 // hosts by rack
	writers  *hdfs.Default
	reads    *rng.Stream
	writes   *rng.Stream
	caches   []pageCache // by host, nil if no class has one
	uses     []fluid.Use
	merges   []int // scratch of merged
	replicas []model.NodeID
	links    links
	files    *files // nil if nobody asks for them
}

// newPhysical adds the hardware of the topology to a solver.
func newPhysical(in *Input) (*physical, error) {
	t := in.Topology
	p := &physical{solver: fluid.New(), full: in.Config.Durations == Resources, tick: model.Time(in.Config.Network.Refresh),
		next: model.Forever, ticks: model.Forever, byRack: in.Config.Shuffle.Source == "rack", single: in.Config.Shuffle.Source == "map",
		clock: make([]float64, t.Hosts), open: make([]int32, t.Hosts), inRack: make([]int32, t.Racks),
		reads: rng.New(in.Seed, "read-source"), writes: rng.New(in.Seed, "output-placement"), writers: hdfs.NewDefault(t)}
	p.solver.Manual(p.tick > 0)
	hosts, racks := make([]fabric.Host, t.Hosts), make([]fabric.Rack, t.Racks)
	hardware := make([]*model.Hardware, t.Hosts)
	for _, n := range t.Nodes {
		class := &t.Classes[n.Class]
		link := float64(class.Hardware.Link)
		if hardware[n.Host] == nil {
			p.inRack[n.Rack]++
		}
		hosts[n.Host] = fabric.Host{Rack: int(n.Rack), Up: link, Down: link}
		hardware[n.Host] = &class.Hardware
		p.clock[n.Host] = float64(class.Hardware.Clock) * class.Speed
	}
	for r := range racks {
		racks[r] = fabric.Rack{Up: float64(t.Uplinks[r]), Down: float64(t.Uplinks[r])}
	}
	for h := range p.open {
		p.open[h] = model.None
	}
	var err error
	if p.fabric, err = fabric.New(p.solver, hosts, racks); err != nil {
		return nil, err
	}
	p.links.init(t.Racks)
	if p.full {
		p.files = newFiles(in)
		err = p.addMachines(hardware, in.Seed)
	}
	return p, err
}

// addMachines adds the disks and cores of the hosts.
func (p *physical) addMachines(hardware []*model.Hardware, seed uint64) error {
	luck := rng.New(seed, "disk-rate")
	for i, h := range hardware {
		rate := float64(h.Disk)
		if h.DiskCV > 0 {
			v := math.Log1p(h.DiskCV * h.DiskCV)
			rate *= math.Exp(math.Sqrt(v)*luck.At(uint64(i), 0, 0).NormFloat64() - v/2)
		}
		table := []float64{rate} // nothing interleaves with write-back alone
		for _, share := range h.DiskStreams {
			table = append(table, rate*float64(share))
		}
		r, err := p.solver.AddTable("disk of host "+strconv.Itoa(i), table)
		if err != nil {
			return err
		}
		if i == 0 {
			p.disk = r
		}
		if h.PageCache > 0 && p.caches == nil {
			p.caches = make([]pageCache, len(hardware))
		}
		if h.PageCache > 0 {
			p.caches[i].capacity = h.PageCache
		}
	}
	for i, h := range hardware {
		r, err := p.solver.AddResource("cores of host "+strconv.Itoa(i), h.Cores)
		if err != nil {
			return err
		}
		if i == 0 {
			p.cores = r
		}
	}
	return nil
}

// slot returns a free slot for an attempt.
func (p *physical) slot(a attempt) int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.attempts[i] = a
		return i
	}
	p.attempts = append(p.attempts, a)
	return int32(len(p.attempts) - 1)
}

func (p *physical) release(slot int32) {
	p.attempts[slot] = attempt{}
	p.free = append(p.free, slot)
}

// shareFiles makes jobs with the same input file read the same blocks, and notes which blocks are
// worth keeping in page caches.
func (s *sim) shareFiles() {
	owners := map[string]model.JobID{}
	for i := range s.in.Jobs {
		file := s.in.Jobs[i].InputFile
		if file == "" {
			continue
		}
		if owner, seen := owners[file]; seen {
			s.blocks.ShareFile(model.JobID(i), owner)
		} else {
			owners[file] = model.JobID(i)
		}
	}
}
