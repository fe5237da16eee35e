// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// diary is where fake roles write down what they are told.
type diary []string

func (d *diary) note(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

func (d *diary) expect(t *testing.T, why string, want ...string) {
	t.Helper()
	if !slices.Equal(*d, want) {
		t.Errorf("%s:\n  %s\nwant:\n  %s", why, strings.Join(*d, "\n  "), strings.Join(want, "\n  "))
	}
	*d = nil
}

// observer is the part that all fake roles share. It ticks at the times given.
type observer struct {
	name  string
	diary *diary
	ticks []model.Time
}

func (o *observer) JobAdmitted(now model.Time, j *cluster.Job) {
	o.diary.note("%s admitted %d at %d", o.name, j.ID, now)
}

func (o *observer) JobEnded(now model.Time, j *cluster.Job) {
	o.diary.note("%s ended %d at %d", o.name, j.ID, now)
}

func (o *observer) TaskStarted(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID) {
	o.diary.note("%s start %d %v on %d at %d", o.name, j.ID, k, node, now)
}

func (o *observer) TaskEnded(now model.Time, j *cluster.Job, k model.Kind, node model.NodeID, done bool) {
	o.diary.note("%s end %d %v on %d at %d, %t", o.name, j.ID, k, node, now, done)
}

func (o *observer) Tick(now model.Time) model.Time {
	o.diary.note("%s tick at %d", o.name, now)
	if len(o.ticks) == 0 {
		return model.Forever
	}
	next := o.ticks[0]
	o.ticks = o.ticks[1:]
	return next
}

type orderFake struct {
	observer
	*KeyedOrder
}

func (o *orderFake) Wants(now model.Time, j *cluster.Job, pool int, wants bool) {
	o.diary.note("%s wants %d pool %d at %d: %t", o.name, j.ID, pool, now, wants)
	o.KeyedOrder.Wants(now, j, pool, wants)
}

func (o *orderFake) Passed(_ *policy.Offer, chosen *cluster.Job, k model.Kind) {
	o.diary.note("%s passed for %d %v", o.name, chosen.ID, k)
}

type placeFake struct {
	observer
	answer map[model.JobID]model.Time // jobs that are declined, with the time to ask again
}

func (p *placeFake) Choose(_ *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	p.diary.note("%s choose %d %v", p.name, j.ID, k)
	if again, declined := p.answer[j.ID]; declined {
		return model.None, again
	}
	return j.First(k), 0
}

type partitionFake struct {
	observer
	barred model.JobID
}

func (p *partitionFake) Allows(j *cluster.Job, _ model.NodeID) bool { return j.ID != p.barred }

// admitFake turns away job 1 and holds all others back.
type admitFake struct{ observer }

func (a *admitFake) Refuses(now model.Time, j *cluster.Job) (model.Limit, bool) {
	a.diary.note("%s refuses %d at %d", a.name, j.ID, now)
	return model.LimitInit, j.ID == 1
}

func (a *admitFake) JobSubmitted(now model.Time, j *cluster.Job) {
	a.diary.note("%s submitted %d at %d", a.name, j.ID, now)
}

func (a *admitFake) NextAdmitted(model.Time) (admitted, held *cluster.Job, limit model.Limit) {
	return nil, nil, model.LimitInit
}

// fakes returns an environment of n jobs with one map and one reduce eligible each, and all roles.
func fakes(m model.RoomModel, n int) (*policy.Env, Roles, *diary) {
	jobs := make([]model.Job, n)
	for i := range jobs {
		jobs[i] = model.Job{Maps: 2, Reduces: 2, Need: [model.Kinds]model.Room{m.Need(model.Map), m.Need(model.Reduce)}}
	}
	env := idle(oneNode(m, model.Room{4, 4}), jobs)
	d := &diary{}
	byID := func(_ model.Time, j *cluster.Job) keyed.Key { return keyed.Key{Major: int64(j.ID)} }
	return env, Roles{
		Order:     &orderFake{observer{name: "order", diary: d}, NewKeyedOrder(env, byID)},
		Place:     &placeFake{observer: observer{name: "place", diary: d}},
		Partition: &partitionFake{observer: observer{name: "partition", diary: d}, barred: model.None},
		Admit:     &admitFake{observer{name: "admit", diary: d}},
	}, d
}

// Order, place, partition, admit: in this order, each once; wants go to the order alone.
func TestComposeForwardsInOrder(t *testing.T) {
	env, roles, d := fakes(model.Slots, 1)
	p := policy.Drive(env, Compose(env, roles))
	j := env.Cluster.Job(0)
	task := model.Task{Kind: model.Reduce, Index: 1}
	all := func(what string) (lines []string) {
		for _, role := range []string{"order", "place", "partition", "admit"} {
			lines = append(lines, role+" "+what)
		}
		return lines
	}
	p.Tick(0)
	*d = nil
	p.Admitted(3, j)
	d.expect(t, "told", all("admitted 0 at 3")...)
	p.Left(4, j)
	d.expect(t, "told", append(all("ended 0 at 4"), all("tick at 4")...)...)
	p.Started(5, j, task, 2)
	d.expect(t, "told", all("start 0 reduce on 2 at 5")...)
	p.Killed(6, j, task, 1, 5)
	d.expect(t, "told", all("end 0 reduce on 1 at 6, false")...)
	p.Wants(7, j, 1, true)
	d.expect(t, "told", "order wants 0 pool 1 at 7: true")
	if j, _, limit := p.NextAdmitted(9); j != nil || limit != model.LimitInit {
		t.Errorf("admits %v, %v", j, limit)
	}
}

// A role whose clock stands still ticks when a job comes or ends; the others keep their own times.
func TestComposeKeepsClocksApart(t *testing.T) {
	env, roles, d := fakes(model.Slots, 1)
	roles.Order.(*orderFake).ticks = []model.Time{10, 20, 30}
	roles.Place.(*placeFake).ticks = []model.Time{15, 20}
	roles.Partition, roles.Admit = nil, nil
	p, j := policy.Drive(env, Compose(env, roles)), env.Cluster.Job(0)
	for _, c := range []struct {
		now, next model.Time
		told      []string
	}{
		{0, 10, []string{"order tick at 0", "place tick at 0"}},
		{10, 15, []string{"order tick at 10"}},
		{15, 20, []string{"place tick at 15"}},
		{20, 30, []string{"order tick at 20", "place tick at 20"}}, // place stands still
		{25, 30, nil},
	} {
		p.Tick(c.now)
		d.expect(t, "told", c.told...)
		if next := p.Next(); next != c.next {
			t.Errorf("tick at %d: next %d, want %d", c.now, next, c.next)
		}
	}
	roles.Place.(*placeFake).ticks = []model.Time{model.Forever}
	p.Submit(26, j)
	d.expect(t, "submission", "place tick at 26")
	p.Left(27, j)
	d.expect(t, "end", "order ended 0 at 27", "place ended 0 at 27", "place tick at 27")
	p.Tick(30)
	d.expect(t, "its own time", "order tick at 30")
}

// A Refuser is one as the admission role of a composition: the job is not submitted to it.
func TestComposeRefuses(t *testing.T) {
	env, roles, d := fakes(model.Slots, 2)
	p := policy.Drive(env, Compose(env, roles))
	if limit, refused := p.Submit(8, env.Cluster.Job(1)); !refused || limit != model.LimitInit {
		t.Errorf("job 1 is refused: %t, by %v", refused, limit)
	}
	d.expect(t, "told", "admit refuses 1 at 8")
	if _, refused := p.Submit(9, env.Cluster.Job(0)); refused {
		t.Error("job 0 is refused")
	}
	d.expect(t, "told", "admit refuses 0 at 9", "admit submitted 0 at 9")
}

func TestComposeIsAnAdmitterOnlyWithThatRole(t *testing.T) {
	env, roles, d := fakes(model.Slots, 1)
	if policy.Drive(env, Compose(env, roles)).Can()&policy.CanAdmit == 0 {
		t.Error("the admission role is hidden")
	}
	roles.Admit, roles.Partition = nil, nil
	p := policy.Drive(env, Compose(env, roles))
	if p.Can()&policy.CanAdmit != 0 {
		t.Error("a policy without an admission role is an Admitter")
	}
	p.Admitted(1, env.Cluster.Job(0))
	d.expect(t, "told", "order admitted 0 at 1", "place admitted 0 at 1")
}

// One object that plays two roles is told once.
func TestComposeTellsAnObjectOnce(t *testing.T) {
	env, roles, d := fakes(model.Slots, 1)
	two := &placeAndPartition{placeFake{observer: observer{name: "two", diary: d}}}
	roles.Place, roles.Partition = two, two
	policy.Drive(env, Compose(env, roles)).Admitted(1, env.Cluster.Job(0))
	d.expect(t, "told", "order admitted 0 at 1", "two admitted 0 at 1", "admit admitted 0 at 1")
}

type placeAndPartition struct{ placeFake }

func (*placeAndPartition) Allows(*cluster.Job, model.NodeID) bool { return true }

// offerTo composes the roles, lets all jobs want pool 0, and returns what an offer leads to.
func offerTo(env *policy.Env, roles Roles, d *diary, free model.Room) (policy.Decision, []string) {
	p := Compose(env, roles)
	for _, j := range env.Cluster.Jobs() {
		roles.Order.Wants(0, j, 0, true)
	}
	*d = nil
	var blocked []string
	o := &policy.Offer{Now: 1, Free: free}
	o.OnBlocked(func(j *cluster.Job, l model.Limit) { blocked = append(blocked, fmt.Sprintf("%d %v", j.ID, l)) })
	return p.Pick(o), blocked
}

// The first job that may use the room here gets it; those before it are told why not.
func TestPickGoesDownTheOrder(t *testing.T) {
	env, roles, d := fakes(model.Slots, 4)
	roles.Partition.(*partitionFake).barred = 0
	roles.Place.(*placeFake).answer = map[model.JobID]model.Time{1: 50}
	got, blocked := offerTo(env, roles, d, model.Room{1, 0})
	if want := policy.Start(env.Cluster.Job(2), model.Map, 0); got != want {
		t.Errorf("decided %+v, want %+v", got, want)
	}
	if !slices.Equal(blocked, []string{"0 partition", "1 locality"}) {
		t.Errorf("blocked %v", blocked)
	}
	d.expect(t, "told", "place choose 1 map", "place choose 2 map", "order passed for 2 map")
}

func TestPickNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		jobs   int
		answer map[model.JobID]model.Time
		barred model.JobID
		free   model.Room
		want   policy.Decision
	}{
		{"no job wants room", 0, nil, model.None, model.Room{1, 1}, policy.Nothing(policy.Everywhere, 0)},
		{"all decline: the earliest time counts", 3, map[model.JobID]model.Time{0: 70, 1: 60, 2: 80}, model.None, model.Room{1, 1}, policy.Nothing(policy.Here, 60)},
		{"a decline without a time sets none", 2, map[model.JobID]model.Time{0: 0, 1: 90}, model.None, model.Room{1, 1}, policy.Nothing(policy.Here, 90)},
		{"barred from this node", 1, nil, 0, model.Room{1, 1}, policy.Nothing(policy.Here, 0)},
		{"does not fit here", 1, nil, model.None, model.Room{0, 1}, policy.Nothing(policy.Here, 0)},
	} {
		env, roles, d := fakes(model.Slots, c.jobs)
		roles.Place.(*placeFake).answer = c.answer
		roles.Partition.(*partitionFake).barred = c.barred
		if got, _ := offerTo(env, roles, d, c.free); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Where maps and reduces share room, an eligible reduce goes first if it fits, else a map.
func TestPickKindInSharedRoom(t *testing.T) {
	env, roles, d := fakes(model.Yarn, 1)
	j := env.Cluster.Job(0)
	j.Need = [model.Kinds]model.Room{{1, 1}, {3, 1}}
	for _, c := range []struct {
		eligible int32
		free     model.Room
		want     policy.Decision
	}{
		{2, model.Room{4, 4}, policy.Start(j, model.Reduce, 0)},
		{2, model.Room{2, 4}, policy.Start(j, model.Map, 0)},
		{0, model.Room{4, 4}, policy.Start(j, model.Map, 0)},
		{2, model.Room{0, 4}, policy.Nothing(policy.Here, 0)},
	} {
		j.Eligible[model.Reduce] = c.eligible
		if got, _ := offerTo(env, roles, d, c.free); got != c.want {
			t.Errorf("%d reduces eligible, %v free: %+v, want %+v", c.eligible, c.free, got, c.want)
		}
	}
}

func TestComposeRanksAndPlacesData(t *testing.T) {
	env, roles, _ := fakes(model.Slots, 3)
	data := hdfs.NewDefault(env.Cluster.Topology)
	roles.Data = data
	p := policy.Drive(env, Compose(env, roles))
	for id := range model.JobID(3) {
		p.Wants(0, env.Cluster.Job(2-id), 1, true)
	}
	if got := p.Rank(1); !slices.Equal(got, []model.JobID{0, 1, 2}) || p.Rank(0) != nil {
		t.Errorf("ranked %v and %v", got, p.Rank(0))
	}
	if p.Placement() != data || p.Can()&policy.CanPlaceData == 0 {
		t.Error("the data role is lost")
	}
}

// GreedyLocal: on the node, in the rack, anywhere; reduces and maps without input in order.
func TestGreedyLocal(t *testing.T) {
	top := oneNode(model.Slots, model.Room{4, 4})
	top.Racks, top.Nodes = 2, []model.Node{{Rack: 0}, {Rack: 0}, {Rack: 1}}
	env := idle(top, []model.Job{{Maps: 2, Reduces: 1, Input: 1}, {Maps: 2}})
	env.Blocks = hdfs.NewStore(top, 1, &line{}, 1)
	g := NewGreedyLocal(env)
	j := env.Cluster.Job(0)
	choose := func(j *cluster.Job, k model.Kind, node model.NodeID) int32 {
		i, again := g.Choose(&policy.Offer{Node: node, Rack: top.Nodes[node].Rack}, j, k)
		if again != 0 {
			t.Error("it declined")
		}
		return i
	}
	if env.Blocks.Index(0, 2).Holders()[1] != 1 {
		t.Fatal("map 1 was to lie on node 1")
	}
	if got := choose(j, model.Map, 1); got != 1 {
		t.Errorf("on node 1: map %d, want the local map 1", got)
	}
	if _, err := env.Cluster.Start(model.Task{Index: 0}, 0); err != nil {
		t.Fatal(err)
	}
	if got := choose(j, model.Map, 0); got != 1 {
		t.Errorf("on node 0: map %d, want the rack-local map 1", got)
	}
	if got := choose(j, model.Map, 2); got != 1 {
		t.Errorf("in another rack: map %d, want any", got)
	}
	if choose(j, model.Reduce, 2) != 0 || choose(env.Cluster.Job(1), model.Map, 2) != 0 {
		t.Error("reduces and maps without input are to come in order")
	}
}

// line puts single replicas on nodes 0, 1, 2, ... in the order of its calls.
type line struct{ at model.NodeID }

func (l *line) Place(_ hdfs.Block, nodes []model.NodeID, _ *uint64) { nodes[0], l.at = l.at, l.at+1 }
