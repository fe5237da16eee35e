// SPDX-License-Identifier: Apache-2.0
//
// Runs the input of `yardmaster flows` in SimGrid: the same links, the same flows, no latency, no TCP
// effects. It prints `ID COMPLETION_TIME` for each flow in the order of the input, and the processor
// time of the simulation on standard error. Bytes are rounded to whole ones, as SimGrid counts them.
//
// usage: flows INPUT [--cfg=...]

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

struct Topology {
  int racks = 0, nodes = 0;
  double node_up = 0, node_down = 0, rack_up = 0, rack_down = 0;
};

struct Flow {
  std::string id;
  int src, dst;
  double bytes, start;
  double end = 0;
};

// read takes an input that `yardmaster flows` accepts.
static void read(const char* path, Topology& topology, std::vector<Flow>& flows)
{
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line.substr(0, line.find('#')));
    std::string word;
    fields >> word;
    if (word == "topology") {
      fields >> topology.racks >> topology.nodes >> topology.node_up >> topology.node_down >> topology.rack_up >> topology.rack_down;
    } else if (word == "flow") {
      Flow f;
      fields >> f.id >> f.src >> f.dst >> f.bytes >> f.start;
      flows.push_back(f);
    }
  }
}

// build lays out hosts and links. A star zone of racks would route all pairs through one gateway; here
// each pair that has a flow gets its route, so that looking routes up costs next to nothing.
static std::vector<sg4::Host*> build(const Topology& t, const std::vector<Flow>& flows)
{
  auto* zone = sg4::create_full_zone("net");
  const int n = t.racks * t.nodes;
  std::vector<sg4::Host*> hosts(n);
  std::vector<sg4::Link*> up(n), down(n), rack_up(t.racks), rack_down(t.racks);
  auto link = [&](const char* kind, int i, double capacity) {
    return zone->create_link(kind + std::to_string(i), capacity)->set_latency(0)->seal();
  };
  for (int i = 0; i < n; i++) {
    hosts[i] = zone->create_host("h" + std::to_string(i), 1e9)->seal();
    up[i]    = link("u", i, t.node_up);
    down[i]  = link("d", i, t.node_down);
  }
  for (int r = 0; r < t.racks; r++) {
    rack_up[r]   = link("ru", r, t.rack_up);
    rack_down[r] = link("rd", r, t.rack_down);
  }
  std::vector<bool> routed(static_cast<size_t>(n) * n);
  for (const auto& f : flows) {
    if (f.src == f.dst || routed[static_cast<size_t>(f.src) * n + f.dst])
      continue;
    routed[static_cast<size_t>(f.src) * n + f.dst] = true;
    const int from = f.src / t.nodes, to = f.dst / t.nodes;
    std::vector<sg4::LinkInRoute> path;
    path.emplace_back(up[f.src]);
    if (from != to) {
      path.emplace_back(rack_up[from]);
      path.emplace_back(rack_down[to]);
    }
    path.emplace_back(down[f.dst]);
    zone->add_route(hosts[f.src]->get_netpoint(), hosts[f.dst]->get_netpoint(), nullptr, nullptr, path, false);
  }
  zone->seal();
  return hosts;
}

int main(int argc, char** argv)
{
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  if (argc < 2) {
    std::cerr << "usage: flows INPUT [--cfg=...]\n";
    return 2;
  }
  Topology topology;
  std::vector<Flow> flows;
  read(argv[1], topology, flows);
  auto hosts = build(topology, flows);

  sg4::Actor::create("main", hosts[0], [&]() {
    std::vector<size_t> order(flows.size());
    for (size_t i = 0; i < order.size(); i++)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return flows[a].start < flows[b].start; });
    std::vector<sg4::CommPtr> comms(flows.size());
    for (size_t i : order) {
      auto& f = flows[i];
      sg4::this_actor::sleep_until(f.start);
      if (f.src != f.dst)
        comms[i] = sg4::Comm::sendto_async(hosts[f.src], hosts[f.dst], static_cast<uint64_t>(f.bytes + 0.5));
    }
    for (size_t i : order) {
      flows[i].end = flows[i].start;
      if (comms[i]) {
        comms[i]->wait();
        flows[i].end = comms[i]->get_finish_time();
      }
    }
  });

  const std::clock_t began = std::clock();
  engine.run();
  std::fprintf(stderr, "run_cpu_s=%.6f\n", static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC);
  for (const auto& f : flows)
    std::printf("%s %.12g\n", f.id.c_str(), f.end);
  return 0;
}
