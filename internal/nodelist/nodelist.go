// SPDX-License-Identifier: Apache-2.0

// Package nodelist is the command workload nodes: a list of nodes becomes the cluster section of a scenario. A history on that
// scenario (--on) meets the cluster that it meets with the list itself (--nodes), if the nodes have their sizes.
package nodelist

import (
	"fmt"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// Command is the command workload nodes.
type Command struct {
	File   string `arg:"" help:"Nodes file of SLS, or what a resource manager answers to /ws/v1/cluster/nodes (JSON)."`
	Conf   string `placeholder:"DIR" help:"Configuration folder of YARN 3 that says the memory and virtual cores of a node for which the file gives none."`
	Memory string `placeholder:"SIZE" help:"Memory of a node for which the file gives none; 10GiB if left out."`
	VCores *int32 `name:"vcores" placeholder:"N" help:"Virtual cores of a node for which the file gives none; 10 if left out."`
	Repair bool   `help:"Leave out nodes without a name, and list them, instead of refusing the file."`
}

// Help implements kong's detailed help.
func (Command) Help() string {
	return `Examples:
  yardmaster workload nodes nodes.json --conf etc/hadoop > cluster.yaml
  yardmaster workload nodes nodes.json --memory 16GiB --vcores 16 > cluster.yaml`
}

// Run implements the command.
func (c *Command) Run(sh *measure.Shell) error {
	memory, vcores, err := c.size()
	if err != nil {
		return &strict.InputError{Err: err}
	}
	section, log, err := scenario.ClusterFromNodes(c.File, c.Repair, memory, vcores)
	if err != nil {
		return err
	}
	for _, r := range log.Repaired {
		fmt.Fprintf(sh.Err, "%s: %s\n", c.File, r)
	}
	for _, text := range log.Notes() {
		fmt.Fprintln(sh.Err, "yardmaster: warning:", text)
	}
	text := fmt.Sprintf("cluster: %s\n", strict.Encode(section).JSON(""))
	if n := advise.Replicas(section); n < scenario.Defaults("").HDFS.Replication {
		text += fmt.Sprintf("hdfs: {replication: %d}\n", n)
	}
	_, err = fmt.Fprint(sh.Out, text)
	return err
}

// size returns what a node has for which the file says nothing, 0 where that is not given either.
func (c *Command) size() (memory model.Bytes, vcores int32, err error) {
	if c.Conf != "" {
		sites, err := advise.LoadYarn(c.Conf)
		if err != nil {
			return 0, 0, err
		}
		memory, vcores = sites[0].Node()
	}
	if c.Memory != "" {
		if err := memory.UnmarshalText([]byte(c.Memory)); err != nil || memory <= 0 {
			return 0, 0, fmt.Errorf("--memory %s: allowed: %s, above 0", c.Memory, memory.Allowed())
		}
	}
	if c.VCores != nil {
		if vcores = *c.VCores; vcores < 1 {
			return 0, 0, fmt.Errorf("--vcores %d: allowed: at least 1", vcores)
		}
	}
	return memory, vcores, nil
}
