// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
)

// Config is the cluster section of a scenario.
type Config struct {
	Room    string        `yaml:"room" oneof:"slots,containers,yarn" doc:"What tasks take from a node: Hadoop 1 map and reduce slots, plain containers, or YARN memory and vcores."`
	Racks   int           `yaml:"racks" min:"1" doc:"Number of racks; the nodes of each class without racks of its own are spread evenly over them, in blocks."`
	Classes []ClassConfig `yaml:"classes" required:"true" doc:"Machines that are alike, one entry per class."`
	Nodes   []NodeConfig  `yaml:"nodes,omitempty" doc:"Names, racks and labels of the nodes, one entry per node; racks and the nodes of each class must agree with it. Without it nodes have no names."`

	Uplink           model.Rate `yaml:"uplink,omitempty" min:"0" doc:"Link of each rack to the core, each way (durations: network, resources); 0 means that oversubscription decides."`
	Oversubscription float64    `yaml:"oversubscription" above:"0" doc:"How many times a rack's node links together exceed its link to the core, where uplink is not given."`
}

// ClassConfig describes the machines of one class.
type ClassConfig struct {
	Name         string      `yaml:"name" doc:"Name of the class in results."`
	Nodes        int         `yaml:"nodes" min:"1" max:"1000000" required:"true" doc:"Number of nodes of this class."`
	MapSlots     int32       `yaml:"map-slots,omitempty" min:"0" doc:"Map slots of a node (room: slots)."`
	ReduceSlots  int32       `yaml:"reduce-slots,omitempty" min:"0" doc:"Reduce slots of a node (room: slots)."`
	Containers   int32       `yaml:"containers,omitempty" min:"0" doc:"Containers of a node (room: containers)."`
	Memory       model.Bytes `yaml:"memory,omitempty" min:"0" doc:"Memory of a node for containers (room: yarn), counted in whole MiB."`
	VCores       int32       `yaml:"vcores,omitempty" min:"0" doc:"Virtual cores of a node (room: yarn)."`
	Speed        float64     `yaml:"speed" min:"0.001" max:"1000" doc:"Task lengths are divided by it; 1 is the reference machine."`
	NodesPerHost int         `yaml:"nodes-per-host" min:"1" doc:"How many nodes share one physical host."`

	Link        model.Rate       `yaml:"link" above:"0" doc:"Network link of a host, each way (durations: network, resources)."`
	Disk        model.Rate       `yaml:"disk" above:"0" doc:"Disks of a host together, one sequential stream (durations: resources)."`
	DiskCV      float64          `yaml:"disk-cv,omitempty" min:"0" max:"1" doc:"Coefficient of variation of a log-normal factor on disk, drawn for each host and seed: files lie elsewhere in every run."`
	DiskStreams []model.Fraction `yaml:"disk-streams,omitempty" doc:"Share of the disk's rate that is left with 1, 2, 3… interleaved streams, the last entry with more; nothing is lost if left out."`
	Cores       float64          `yaml:"cores" min:"0.001" max:"100000" doc:"Cores of a host (durations: resources)."`
	Clock       model.Frequency  `yaml:"clock" min:"1MHz" max:"1000GHz" doc:"Cycles per second of a core (durations: resources)."`
	PageCache   model.Bytes      `yaml:"page-cache" min:"0" doc:"Memory of a host that keeps input blocks which several jobs read (durations: resources); 0 means none."`

	OwnRacks int        `yaml:"racks,omitempty" min:"0" doc:"Number of racks that hold machines of this class alone; 0 means that it shares cluster.racks with the other classes."`
	Uplink   model.Rate `yaml:"uplink,omitempty" min:"0" doc:"Link to the core of each rack of the class's own, each way; 0 means as cluster.uplink and oversubscription say."`
	Price    float64    `yaml:"price,omitempty" min:"0" doc:"Price of a host, in any unit; 0 means that it is not known."`
	Store    bool       `yaml:"store,omitempty" doc:"The machines of this class are a remote file system: they hold all input, take all output (durations: resources) and run no tasks."`

	SortBuffer   model.Bytes `yaml:"sort-buffer,omitempty" min:"0" doc:"Memory in which a map sorts its output on this class (durations: resources); 0 means tasks.sort-buffer."`
	ReduceBuffer model.Bytes `yaml:"reduce-buffer,omitempty" min:"0" doc:"Memory in which a reduce keeps fetched data on this class (durations: resources); 0 means tasks.reduce-buffer."`
	RAMDisk      model.Bytes `yaml:"ram-disk,omitempty" min:"0" doc:"Memory of a host that holds map output and fetched data until it is full; the rest goes to disk (durations: resources)."`
	RAMDiskRate  model.Rate  `yaml:"ram-disk-rate,omitempty" min:"0" doc:"Rate of the RAM disk, reading and writing together; 0 means 2GB/s."`
}

// SetDefaults fills what a scenario leaves out.
func (c *ClassConfig) SetDefaults() {
	*c = ClassConfig{Name: "worker", Speed: 1, NodesPerHost: 1,
		Link: 125_000_000, Disk: 100_000_000, Cores: 8, Clock: 2_500_000_000}
}

// DefaultConfig returns a cluster section without machines.
func DefaultConfig() Config { return Config{Room: "slots", Racks: 1, Oversubscription: 5} }

// RoomModel returns the model that Room names.
func (c *Config) RoomModel() model.RoomModel {
	switch c.Room {
	case "containers":
		return model.Containers
	case "yarn":
		return model.Yarn
	}
	return model.Slots
}

// room returns what a node of the class offers under the model.
func (c *ClassConfig) room(m model.RoomModel) model.Room {
	switch m {
	case model.Containers:
		return model.Room{c.Containers, 0}
	case model.Yarn:
		return model.Room{int32(min(c.Memory/model.MiB, 1<<30)), c.VCores}
	}
	return model.Room{c.MapSlots, c.ReduceSlots}
}

// Validate returns every fault of the section that its types cannot express.
func (c *Config) Validate() (problems []model.Problem) {
	m := c.RoomModel()
	if len(c.Classes) == 0 {
		return []model.Problem{{Path: "classes", Found: "no classes", Allowed: "at least one class of machines"}}
	}
	if len(c.Classes) > 200 {
		return []model.Problem{{Path: "classes", Found: fmt.Sprint(len(c.Classes)), Allowed: "at most 200 classes"}}
	}
	hosts := 0
	names := map[string]bool{}
	for i := range c.Classes {
		k := &c.Classes[i]
		at := func(field string) string { return fmt.Sprintf("classes[%d].%s", i, field) }
		if names[k.Name] {
			problems = append(problems, model.Problem{Path: at("name"), Found: fmt.Sprintf("%q twice", k.Name), Allowed: "a name of its own for each class"})
		}
		names[k.Name] = true
		if k.NodesPerHost > 0 && k.OwnRacks == 0 {
			hosts += k.hosts()
		}
		if k.NodesPerHost > 0 && k.OwnRacks > k.hosts() {
			problems = append(problems, model.Problem{Path: at("racks"), Found: fmt.Sprintf("%d racks for %d hosts", k.OwnRacks, k.hosts()), Allowed: "at most one rack per host"})
		}
		if k.Uplink > 0 && k.OwnRacks == 0 {
			problems = append(problems, model.Problem{Path: at("uplink"), Found: "an uplink of a class that shares its racks", Allowed: "cluster.uplink, or racks of the class's own"})
		}
		if room := k.room(m); k.Store && !room.IsZero() {
			problems = append(problems, model.Problem{Path: at("store"), Found: "a store with " + m.Describe(room), Allowed: "a class without room for tasks"})
		} else if room.IsZero() && !k.Store {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("classes[%d]", i), Found: "a node with " + m.Describe(room),
				Allowed: "room for at least one task: " + c.roomFields()})
		}
		for _, f := range []struct {
			name    string
			foreign bool
		}{
			{"map-slots", k.MapSlots != 0 && m != model.Slots}, {"reduce-slots", k.ReduceSlots != 0 && m != model.Slots},
			{"containers", k.Containers != 0 && m != model.Containers},
			{"memory", k.Memory != 0 && m != model.Yarn}, {"vcores", k.VCores != 0 && m != model.Yarn},
		} {
			if f.foreign {
				problems = append(problems, model.Problem{Path: at(f.name), Found: fmt.Sprintf("%s under room: %s", f.name, c.Room), Allowed: c.roomFields()})
			}
		}
	}
	problems = append(problems, c.validateDisks()...)
	problems = append(problems, c.validateNodes()...)
	if c.Racks > hosts && hosts > 0 {
		problems = append(problems, model.Problem{Path: "racks", Found: fmt.Sprintf("%d racks for %d hosts", c.Racks, hosts), Allowed: "at most one rack per host"})
	}
	return problems
}

func (c *Config) validateDisks() (problems []model.Problem) {
	for i := range c.Classes {
		for k, share := range c.Classes[i].DiskStreams {
			if !(share > 0 && share <= 1) {
				problems = append(problems, model.Problem{Path: fmt.Sprintf("classes[%d].disk-streams[%d]", i, k),
					Found: share.String(), Allowed: "a share above 0, at most 1"})
			}
		}
	}
	return problems
}

func (c *Config) roomFields() string {
	switch c.RoomModel() {
	case model.Containers:
		return "containers"
	case model.Yarn:
		return "memory and vcores"
	}
	return "map-slots and reduce-slots"
}

// Topology builds the cluster that the section describes. The section must be valid.
func (c *Config) Topology() *model.Topology {
	t := &model.Topology{Model: c.RoomModel(), Racks: c.sharedRacks()}
	for i := range c.Classes {
		k := &c.Classes[i]
		t.Classes = append(t.Classes, model.NodeClass{Name: k.Name, Room: k.room(t.Model), Speed: k.Speed, Price: k.Price, Store: k.Store, Hardware: k.hardware()})
		if len(c.Nodes) > 0 {
			continue
		}
		hosts := k.hosts()
		first, racks := 0, c.Racks
		if k.OwnRacks > 0 {
			first, racks = t.Racks, k.OwnRacks
			t.Racks += racks
		}
		for n := range k.Nodes {
			h := n / k.NodesPerHost
			rack := first + h*racks/hosts
			if hosts < racks { // small classes go on where the one before stopped, so that no rack is empty
				rack = (t.Hosts + h) % racks
			}
			t.Nodes = append(t.Nodes, model.Node{Class: uint8(i), Rack: model.RackID(rack), Host: model.HostID(t.Hosts + h)})
		}
		t.Hosts += hosts
	}
	if len(c.Nodes) > 0 {
		c.named(t)
	}
	c.setUplinks(t)
	return t
}

// sharedRacks returns the number of racks that classes without racks of their own share. They come first.
func (c *Config) sharedRacks() int {
	for i := range c.Classes {
		if c.Classes[i].OwnRacks == 0 {
			return c.Racks
		}
	}
	return 0
}

func (c *ClassConfig) hardware() model.Hardware {
	h := model.Hardware{Link: c.Link, Disk: c.Disk, DiskCV: c.DiskCV, DiskStreams: c.DiskStreams, Cores: c.Cores, Clock: c.Clock, PageCache: c.PageCache,
		SortBuffer: c.SortBuffer, ReduceBuffer: c.ReduceBuffer, RAMDisk: c.RAMDisk, RAMDiskRate: c.RAMDiskRate}
	if h.RAMDiskRate == 0 {
		h.RAMDiskRate = 2_000_000_000
	}
	return h
}

// setUplinks gives each rack its link to the core.
func (c *Config) setUplinks(t *model.Topology) {
	t.Uplinks = make([]model.Rate, t.Racks)
	own := make([]model.Rate, t.Racks) // of racks whose class says so
	last := model.HostID(model.None)
	for _, n := range t.Nodes {
		if n.Host != last { // the nodes of a host stand together
			t.Uplinks[n.Rack] += t.Classes[n.Class].Hardware.Link
		}
		own[n.Rack] = c.Classes[n.Class].Uplink
		last = n.Host
	}
	for r := range t.Uplinks {
		if own[r] > 0 {
			t.Uplinks[r] = own[r]
		} else if c.Uplink > 0 {
			t.Uplinks[r] = c.Uplink
		} else if c.Oversubscription > 0 {
			t.Uplinks[r] = max(1, model.Rate(float64(t.Uplinks[r])/c.Oversubscription))
		}
	}
}

// hosts returns the number of physical machines of the class; a host is in one rack.
// Price returns what the machines cost together, false if the price of a class is not known.
func (c *Config) Price() (price float64, known bool) {
	for i := range c.Classes {
		k := &c.Classes[i]
		if k.Price == 0 {
			return 0, false
		}
		price += float64(k.hosts()) * k.Price
	}
	return price, len(c.Classes) > 0
}

func (c *ClassConfig) hosts() int { return (c.Nodes + c.NodesPerHost - 1) / c.NodesPerHost }
