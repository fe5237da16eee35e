// SPDX-License-Identifier: Apache-2.0
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.core.JsonParser;
import java.io.*;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.PrivilegedExceptionAction;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.protocolrecords.*;
import org.apache.hadoop.yarn.api.records.*;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.*;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.server.resourcemanager.*;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.SchedulingEditPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.event.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.*;
import org.apache.hadoop.yarn.util.*;
import org.apache.hadoop.yarn.util.resource.Resources;

/**
 * Drives the ResourceManager of Hadoop 3.4.1 (CapacityScheduler or FairScheduler) from scenario files, in one thread and on a virtual clock,
 * and prints every decision. Formats: README.md.
 *   java ... Oracle [-o DIR] [-v] [-s] SCENARIO.json...
 */
public class Oracle {
  static final long EPOCH = 1_000_000_000_000L;   // virtual time 0; also the cluster time stamp in application ids
  static Oracle cur;                              // the scenario that runs (MockRM's constructor calls back before fields are set)

  // ---------------------------------------------------------------- single-threaded dispatcher
  @SuppressWarnings({"rawtypes", "unchecked"})
  static class Pump extends AsyncDispatcher {
    final ArrayDeque<Event> q = new ArrayDeque<>();
    final Thread owner = Thread.currentThread();
    final EventHandler<Event> in = e -> {
      if (Thread.currentThread() != owner) cur.line("foreign", "event=" + e.getType() + " thread=" + Thread.currentThread().getName().replace(' ', '_'));
      synchronized (q) { cur.onEvent(e); q.add(e); }
    };
    @Override protected void serviceStart() { }                  // no thread
    @Override public EventHandler<Event> getEventHandler() { return in; }
    void pump() {
      for (;;) {
        Event e; synchronized (q) { e = q.poll(); }
        if (e == null) return;
        EventHandler h = eventDispatchers.get(e.getType().getDeclaringClass());
        if (h == null) continue;
        try { h.handle(e); } catch (Throwable t) { cur.error(e.getType().toString(), t); }
      }
    }
  }

  static class RM extends MockRM {
    RM(Configuration c) { super(c); }
    @Override protected Dispatcher createDispatcher() { return cur.pump = new Pump(); }
    @Override public void drainEvents() { cur.pump.pump(); }
    static void stamp() { setClusterTimeStamp(EPOCH); }
  }

  /** The RM makes an RSA key (for the web proxy) at every start, most of the time of a start: make one and keep it. */
  public static class OneKey extends java.security.KeyPairGeneratorSpi {
    static java.security.KeyPair pair;
    @Override public void initialize(int size, java.security.SecureRandom r) { }
    @Override public synchronized java.security.KeyPair generateKeyPair() {
      try {
        if (pair == null) { java.security.KeyPairGenerator g = java.security.KeyPairGenerator.getInstance("RSA", "SunRsaSign"); g.initialize(2048); pair = g.generateKeyPair(); }
        return pair;
      } catch (Exception e) { throw new RuntimeException(e); }
    }
  }

  /** Node attributes are kept in a file below /tmp by default (and two programs at once break each other): keep none. */
  public static class NoStore implements org.apache.hadoop.yarn.nodelabels.NodeAttributeStore {
    public void replaceNodeAttributes(List<org.apache.hadoop.yarn.server.api.protocolrecords.NodeToAttributes> l) { }
    public void addNodeAttributes(List<org.apache.hadoop.yarn.server.api.protocolrecords.NodeToAttributes> l) { }
    public void removeNodeAttributes(List<org.apache.hadoop.yarn.server.api.protocolrecords.NodeToAttributes> l) { }
    public void init(Configuration c, org.apache.hadoop.yarn.nodelabels.NodeAttributesManager m) { }
    public void recover() { }
    public void close() { }
  }

  /** Stands in for the monitor that would run on its own thread; the real policy is called by step "preempt". */
  public static class NoPolicy implements SchedulingEditPolicy {
    public void init(Configuration c, RMContext x, ResourceScheduler s) { }
    public void editSchedule() { }
    public long getMonitoringInterval() { return 3600_000; }
    public String getPolicyName() { return "none"; }
  }

  public static class Racks implements DNSToSwitchMapping {
    static final Map<String, String> map = new HashMap<>();
    public List<String> resolve(List<String> names) { List<String> r = new ArrayList<>(); for (String n : names) r.add(map.getOrDefault(n, "/default-rack")); return r; }
    public void reloadCachedMappings() { }
    public void reloadCachedMappings(List<String> names) { }
  }

  // ---------------------------------------------------------------- schedulers with a look inside
  public static class CS extends CapacityScheduler {
    @Override @SuppressWarnings({"rawtypes", "unchecked"})
    public boolean tryCommit(Resource cluster, ResourceCommitRequest r, boolean updatePending) {
      ResourceCommitRequest<FiCaSchedulerApp, FiCaSchedulerNode> q = r;
      Oracle o = cur;
      o.fromReserved = false; String was = null;
      for (ContainerAllocationProposal<FiCaSchedulerApp, FiCaSchedulerNode> a : q.getContainersToAllocate()) {
        if (a.getAllocateFromReservedContainer() != null) { o.fromReserved = true; was = a.getAllocateFromReservedContainer().getRmContainer().getReservedNode().getHost(); }
      }
      List<String> before = o.held; o.held = new ArrayList<>();
      boolean ok = super.tryCommit(cluster, r, updatePending);
      List<String> mine = o.held; o.held = before;
      if (ok) {
        if (was != null) o.reservedBy.remove(was);                // it became the container: no line of its own
        o.diffReserved(true, false);      // what is gone, then what was allocated, then what is new
        for (String s : mine) o.out(s);
        o.diffReserved(false, true);
      } else {
        for (String s : mine) o.out(s);
        String d = "";
        if (q.anythingAllocatedOrReserved()) {
          ContainerAllocationProposal<FiCaSchedulerApp, FiCaSchedulerNode> a = q.getFirstAllocatedOrReservedContainer();
          SchedulerContainer<FiCaSchedulerApp, FiCaSchedulerNode> c = a.getAllocatedOrReservedContainer();
          d = "node=" + c.getSchedulerNode().getNodeName() + " queue=" + o.queueOf(c.getSchedulerApplicationAttempt()) + " app=" + c.getSchedulerApplicationAttempt().getApplicationId().getId()
              + " prio=" + c.getSchedulerRequestKey().getPriority().getPriority() + " " + res(a.getAllocatedOrReservedResource()) + " what=" + (c.isAllocated() ? "allocate" : "reserve");
        }
        o.line("refused-commit", d);
      }
      o.fromReserved = false;
      return ok;
    }
  }

  public static class FS extends FairScheduler {
    Thread real;
    @Override protected void createPreemptionThread() {
      super.createPreemptionThread();
      try {
        Field f = field(FairScheduler.class, "preemptionThread");
        real = (Thread) f.get(this);
        f.set(this, new Thread(() -> { }));                       // started and joined by the scheduler, does nothing
        field(real.getClass(), "preemptionTimer").set(real, cur.timer);
      } catch (Exception e) { throw new RuntimeException(e); }
    }
    @Override protected void triggerUpdate() { cur.updateWanted = true; }
  }

  /** java.util.Timer on virtual time (Fair Scheduler kills after waitTimeBeforeKill). */
  class VTimer extends Timer {
    final TreeMap<Long, List<TimerTask>> due = new TreeMap<>();
    VTimer() { super(true); cancel(); }
    @Override public void schedule(TimerTask t, long delay) { due.computeIfAbsent(SystemClock.now + delay, k -> new ArrayList<>()).add(t); }
  }

  static Field field(Class<?> c, String n) throws Exception {
    for (Class<?> k = c; k != null; k = k.getSuperclass()) try { Field f = k.getDeclaredField(n); f.setAccessible(true); return f; } catch (NoSuchFieldException e) { }
    throw new NoSuchFieldException(c + "." + n);
  }
  static Method method(Class<?> c, String n, Class<?>... a) throws Exception {
    for (Class<?> k = c; k != null; k = k.getSuperclass()) try { Method m = k.getDeclaredMethod(n, a); m.setAccessible(true); return m; } catch (NoSuchMethodException e) { }
    throw new NoSuchMethodException(c + "." + n);
  }

  // ---------------------------------------------------------------- one scenario
  static class Cont { RMContainer rm; String node; ApplicationAttemptId att; String queue, user; int prio; Resource size; }
  static class AM { UserGroupInformation ugi; int responseId; ApplicationAttemptId att; boolean registered; }

  final JsonNode sc; final PrintStream ps; final Path tmp;
  Pump pump; RM rm; AbstractYarnScheduler<?, ?> sched; boolean fair;
  ProportionalCapacityPreemptionPolicy policy;
  VTimer timer = new VTimer();
  Configuration conf; final Map<String, String> props = new TreeMap<>();
  final Map<ContainerId, Cont> live = new TreeMap<>();
  final Map<String, Cont> reservedBy = new TreeMap<>();          // node name -> reservation
  final Set<ApplicationAttemptId> active = new TreeSet<>();
  final Map<Integer, AM> ams = new TreeMap<>();
  final Map<Integer, String> users = new TreeMap<>(); final Map<Integer, List<JsonNode>> deferred = new TreeMap<>();
  final Map<String, MockNM> nms = new TreeMap<>();
  final Map<String, JsonNode> nodeDefs = new LinkedHashMap<>();
  List<String> held; boolean fromReserved, updateWanted, autoUpdate; int step; final List<ContainerId> killable = new ArrayList<>();

  Oracle(JsonNode sc, PrintStream ps, Path tmp) { this.sc = sc; this.ps = ps; this.tmp = tmp; }

  final List<String> buf = new ArrayList<>();
  void out(String s) { if (held != null) held.add(s); else buf.add(s); }
  /** Bulk releases and marks come in the order of Java hash maps; they are printed by application, attempt and number. Allocations keep their order. */
  void flush() {
    for (int i = 0; i < buf.size();) {
      String k = buf.get(i).split(" ")[2]; int j = i + 1;
      if (k.equals("release") || k.equals("kill") || k.equals("preempt-warn") || k.equals("killable")) while (j < buf.size() && buf.get(j).split(" ")[2].equals(k)) j++;
      List<String> run = new ArrayList<>(buf.subList(i, j));
      if (j - i > 1) run.sort(Comparator.comparingLong((String x) -> num(x, "app")).thenComparingLong(x -> num(x, "att")).thenComparingLong(x -> num(x, "c")));
      for (String x : run) {
        int n = 1;
        if (k.equals("refused-commit")) { while (j < buf.size() && buf.get(j).equals(x)) { j++; n++; } x += " times=" + n; }
        ps.println(x);
      }
      i = j;
    }
    buf.clear();
  }
  static long num(String line, String key) { for (String w : line.split(" ")) if (w.startsWith(key + "=")) return w.endsWith("=-") ? -1 : Long.parseLong(w.substring(key.length() + 1)); return -1; }
  void line(String kind, String rest) { out(step + " " + (SystemClock.now - EPOCH) + " " + kind + (rest.isEmpty() ? "" : " " + rest)); }
  void error(String where, Throwable t) {
    StackTraceElement[] st = t.getStackTrace();
    line("error", "at=" + where + " what=" + word(t) + (st.length > 0 ? " in=" + st[0].getClassName().replaceAll(".*\\.", "") + "." + st[0].getMethodName() + ":" + st[0].getLineNumber() : ""));
    if (VERBOSE) t.printStackTrace();
  }
  /** Short, stable reasons for what the release says in long sentences. */
  static String why(String s) {
    if (s.contains("unknown_queue")) return "unknown-queue";
    if (s.matches(".*already_has_\\d+_applications_from_user.*")) return "max-applications-user";
    if (s.matches(".*already_has_\\d+_applications,.*")) return "max-applications";
    if (s.contains("greater_than_maximum_allowed_allocation")) return "over-maximum-allocation";
    return s.length() > 100 ? s.substring(0, 100) : s;
  }
  static String word(Throwable t) { return t.getClass().getSimpleName() + ":" + word(t.getMessage()); }
  static String word(String s) { return s == null || s.isEmpty() ? "-" : s.split("\n")[0].trim().replaceAll("\\s+", "_").replaceAll("application_" + EPOCH + "_0*", "app"); }
  static boolean VERBOSE, SKIPS; static final Map<String, String> addr = new HashMap<>();
  static String res(Resource r) { return "mem=" + r.getMemorySize() + " vc=" + r.getVirtualCores(); }
  static String two(Resource r) { return r == null ? "-" : r.getMemorySize() + "/" + r.getVirtualCores(); }

  void decide(String kind, Cont c, ContainerId id, String loc, String more) {
    line(kind, "node=" + c.node + " queue=" + c.queue + " user=" + c.user + " app=" + c.att.getApplicationId().getId() + " att=" + c.att.getAttemptId() + " c="
        + (id == null ? "-" : String.valueOf(id.getContainerId() & 0xffffffffffL)) + " prio=" + c.prio + " " + res(c.size) + " loc=" + loc + more);
  }
  String queueOf(SchedulerApplicationAttempt a) {
    org.apache.hadoop.yarn.server.resourcemanager.scheduler.Queue q = a.getQueue();
    return q instanceof CSQueue ? ((CSQueue) q).getQueuePath() : q.getQueueName();
  }
  SchedulerApplicationAttempt attempt(ApplicationAttemptId id) { return (SchedulerApplicationAttempt) sched.getApplicationAttempt(id); }

  Cont cont(RMContainer r, NodeId node, Resource size, Priority p) {
    Cont c = new Cont(); c.rm = r; c.node = node.getHost(); c.att = r.getApplicationAttemptId();
    SchedulerApplicationAttempt a = attempt(c.att);
    c.queue = a == null ? "-" : queueOf(a); c.user = a == null ? "-" : a.getUser();
    c.prio = p.getPriority(); c.size = Resources.clone(size);
    return c;
  }

  /** Called when an event is put into the queue, that is inside the scheduler's own call: exact order of decisions. */
  void onEvent(Event<?> e) {
    if (e instanceof RMAppAttemptContainerFinishedEvent) {
      ContainerStatus s = ((RMAppAttemptContainerFinishedEvent) e).getContainerStatus();
      Cont c = live.remove(s.getContainerId());
      if (c != null) {
        int x = s.getExitStatus();
        decide(x == ContainerExitStatus.PREEMPTED ? "kill" : "release", c, s.getContainerId(), "-", " exit=" + x);
      }
    } else if (e instanceof RMAppAttemptEvent && e.getType() == RMAppAttemptEventType.CONTAINER_ALLOCATED) {
      SchedulerApplicationAttempt a = attempt(((RMAppAttemptEvent) e).getApplicationAttemptId());
      if (a == null) return;
      for (Map.Entry<ContainerId, RMContainer> m : new TreeMap<>(a.getLiveContainersMap()).entrySet()) {
        if (live.containsKey(m.getKey())) continue;
        RMContainer r = m.getValue();
        try { field(RMContainerImpl.class, "creationTime").set(r, SystemClock.now); } catch (Exception x) { throw new RuntimeException(x); }
        Cont c = cont(r, r.getAllocatedNode(), r.getAllocatedResource(), r.getContainer().getPriority());
        boolean res = fromReserved; Cont k = reservedBy.get(c.node);
        if (fair && k != null && m.getKey().equals(k.rm.getContainerId())) { reservedBy.remove(c.node); res = true; }
        live.put(m.getKey(), c);
        String loc = "-"; ContainerRequest q = r.getContainerRequest();
        if (q != null && q.getResourceRequests() != null) loc = new String[] {"-", "any", "rack", "node"}[Math.min(3, q.getResourceRequests().size())];
        decide("allocate", c, m.getKey(), loc, res ? " reserved=1" : "");
      }
    } else if (e instanceof ContainerPreemptEvent) {
      ContainerPreemptEvent p = (ContainerPreemptEvent) e; Cont c = live.get(p.getContainer().getContainerId());
      if (e.getType() == SchedulerEventType.MARK_CONTAINER_FOR_PREEMPTION && c != null) decide("preempt-warn", c, p.getContainer().getContainerId(), "-", "");
      if (e.getType() == SchedulerEventType.MARK_CONTAINER_FOR_KILLABLE) killable.add(p.getContainer().getContainerId());
    } else if (e instanceof RMAppEvent && e.getType() == RMAppEventType.APP_REJECTED) {
      RMAppEvent r = (RMAppEvent) e; RMApp a = rm.getRMContext().getRMApps().get(r.getApplicationId());
      line("reject", "queue=" + (a == null ? "-" : a.getQueue()) + " user=" + (a == null ? "-" : a.getUser()) + " app=" + r.getApplicationId().getId() + " why=" + why(word(r.getDiagnosticMsg())));
    }
  }

  void diffReserved(boolean gone, boolean fresh) {
    Map<String, RMContainer> now = new TreeMap<>();
    for (NodeId n : new TreeSet<>(rm.getRMContext().getRMNodes().keySet())) {
      SchedulerNode s = (SchedulerNode) sched.getSchedulerNode(n);
      if (s != null && s.getReservedContainer() != null) now.put(n.getHost(), s.getReservedContainer());
    }
    if (gone) for (Iterator<Map.Entry<String, Cont>> i = reservedBy.entrySet().iterator(); i.hasNext();) {
      Map.Entry<String, Cont> e = i.next();
      if (now.get(e.getKey()) != e.getValue().rm) { decide("unreserve", e.getValue(), e.getValue().rm.getContainerId(), "-", ""); i.remove(); }
    }
    if (fresh) for (Map.Entry<String, RMContainer> e : now.entrySet()) {
      RMContainer r = e.getValue();
      if (reservedBy.containsKey(e.getKey())) continue;
      try { field(RMContainerImpl.class, "creationTime").set(r, SystemClock.now); } catch (Exception x) { throw new RuntimeException(x); }
      Cont c = cont(r, r.getReservedNode(), r.getReservedResource(), r.getReservedSchedulerKey().getPriority());
      reservedBy.put(e.getKey(), c);
      decide("reserve", c, r.getContainerId(), "-", "");
    }
  }

  void diffActive() throws Exception {
    Set<ApplicationAttemptId> now = new HashSet<>(); List<SchedulerApplicationAttempt> fresh = new ArrayList<>();
    for (SchedulerApplicationAttempt a : activeApps()) { now.add(a.getApplicationAttemptId()); if (!active.contains(a.getApplicationAttemptId())) fresh.add(a); }
    active.retainAll(now);
    fresh.sort(Comparator.comparing(this::queueOf).thenComparing(a -> -prio(a)).thenComparing(SchedulerApplicationAttempt::getApplicationAttemptId));
    for (SchedulerApplicationAttempt a : fresh) {
      active.add(a.getApplicationAttemptId());
      line("activate", "queue=" + queueOf(a) + " user=" + a.getUser() + " app=" + a.getApplicationId().getId() + " att=" + a.getApplicationAttemptId().getAttemptId() + " prio=" + prio(a));
    }
  }
  int prio(SchedulerApplicationAttempt a) { Priority p = a.getPriority(); return p == null ? 0 : p.getPriority(); }
  @SuppressWarnings("unchecked")
  List<SchedulerApplicationAttempt> activeApps() throws Exception {
    List<SchedulerApplicationAttempt> r = new ArrayList<>();
    if (fair) { for (FSLeafQueue q : ((FairScheduler) sched).getQueueManager().getLeafQueues()) r.addAll((List<FSAppAttempt>) field(FSLeafQueue.class, "runnableApps").get(q)); }
    else for (CSQueue q : queues()) if (q instanceof AbstractLeafQueue) r.addAll(((AbstractLeafQueue) q).getApplications());
    return r;
  }
  Collection<CSQueue> queues() {
    Map<String, CSQueue> m = new TreeMap<>();
    for (CSQueue q : ((CapacityScheduler) sched).getCapacitySchedulerQueueManager().getQueues().values()) m.put(q.getQueuePath(), q);
    return m.values();
  }

  /** Lets the RM come to rest, then reports what no event told. */
  void settle() throws Exception {
    pump.pump();
    if (updateWanted && autoUpdate && fair) { updateWanted = false; ((FairScheduler) sched).update(); pump.pump(); }
    for (ContainerId id : new ArrayList<>(live.keySet())) if (sched.getRMContainer(id) == null) {   // gone without an event (a master gave back what it had not taken over)
      Cont c = live.remove(id); decide("release", c, id, "-", " exit=" + c.rm.getContainerExitStatus());
    }
    diffReserved(true, true); diffActive();
    for (ContainerId id : killable) if (live.containsKey(id)) decide("killable", live.get(id), id, "-", "");
    killable.clear(); flush();
  }

  // ---------------------------------------------------------------- set-up
  Configuration makeConf() throws Exception {
    Configuration c = new YarnConfiguration();
    c.set(YarnConfiguration.RM_SCHEDULER, fair ? FS.class.getName() : CS.class.getName());
    c.set("net.topology.node.switch.mapping.impl", Racks.class.getName());
    c.set("hadoop.security.token.service.use_ip", "false");
    c.set(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_SCHEDULING_WAIT_MS, "0");
    c.set(YarnConfiguration.RM_SCHEDULER_MONITOR_POLICIES, NoPolicy.class.getName());
    c.set(YarnConfiguration.FS_NODE_ATTRIBUTE_STORE_IMPL_CLASS, NoStore.class.getName());
    c.set("yarn.scheduler.fair.update-interval-ms", "0");
    c.set("yarn.scheduler.fair.allocation.file", tmp.resolve("allocations.xml").toAbsolutePath().toString());
    for (Map.Entry<String, String> e : props.entrySet()) c.set(e.getKey(), e.getValue());
    return c;
  }
  void readProps(JsonNode n) throws Exception {
    if (n.has("confFiles")) for (JsonNode f : n.get("confFiles")) {
      Configuration x = new Configuration(false); x.addResource(new ByteArrayInputStream(Files.readAllBytes(Paths.get(f.asText()))));
      for (Map.Entry<String, String> e : x) props.put(e.getKey(), x.get(e.getKey()));
    }
    if (n.has("conf")) for (Iterator<Map.Entry<String, JsonNode>> i = n.get("conf").fields(); i.hasNext();) {
      Map.Entry<String, JsonNode> e = i.next();
      if (e.getValue().isNull()) props.remove(e.getKey()); else props.put(e.getKey(), e.getValue().asText());
    }
    String a = n.has("allocations") ? n.get("allocations").asText() : n.has("allocationsFile") ? new String(Files.readAllBytes(Paths.get(n.get("allocationsFile").asText())), StandardCharsets.UTF_8) : null;
    if (a != null) Files.write(tmp.resolve("allocations.xml"), a.getBytes(StandardCharsets.UTF_8));
  }

  void run() throws Exception {
    cur = this; SystemClock.now = EPOCH; step = 0; long[] ph = new long[5]; ph[0] = System.nanoTime();
    fair = sc.path("scheduler").asText("capacity").equals("fair");
    autoUpdate = sc.path("autoUpdate").asBoolean(false);
    Files.write(tmp.resolve("allocations.xml"), "<allocations/>".getBytes(StandardCharsets.UTF_8));
    Racks.map.clear(); for (JsonNode n : sc.path("nodes")) { Racks.map.put(addr.get(n.get("name").asText()), n.path("rack").asText("/default-rack")); nodeDefs.put(n.get("name").asText(), n); }
    readProps(sc);
    try {
      conf = makeConf();
      RackResolver.init(conf); ((DNSToSwitchMapping) method(RackResolver.class, "getDnsToSwitchMapping").invoke(null)).reloadCachedMappings();
      rm = new RM(conf);
      org.apache.log4j.Logger.getRootLogger().setLevel(org.apache.log4j.Level.OFF);
      sched = (AbstractYarnScheduler<?, ?>) rm.getResourceScheduler();
      Object tracker = field(AbstractYarnScheduler.class, "nodeTracker").get(sched);
      field(ClusterNodeTracker.class, "nodes").set(tracker, new LinkedHashMap<>());                      // order of registration
      ph[1] = System.nanoTime();
      rm.start();
      RM.stamp(); ph[2] = System.nanoTime();
    } catch (Throwable t) {
      Throwable u = t; while (u.getCause() != null) u = u.getCause();
      line("refused", "why=" + word(u)); flush(); if (VERBOSE) t.printStackTrace();
      if (rm != null) try { rm.stop(); } catch (Throwable x) { }
      return;
    }
    try {
      pump.pump();
      if (sc.has("labels")) {
        List<NodeLabel> l = new ArrayList<>(); for (JsonNode n : sc.get("labels")) l.add(NodeLabel.newInstance(n.get("name").asText(), n.path("exclusive").asBoolean(true)));
        rm.getRMContext().getNodeLabelManager().addToCluserNodeLabels(l); pump.pump();
      }
      for (JsonNode n : sc.path("nodes")) if (!n.path("late").asBoolean(false)) addNode(n);
      settle();
      for (JsonNode s : sc.path("steps")) {
        step++;
        if (s.has("t")) advance(EPOCH + s.get("t").asLong());
        try { doStep(s); } catch (Throwable t) {
          Throwable u = t; while (u instanceof java.lang.reflect.UndeclaredThrowableException || u instanceof java.lang.reflect.InvocationTargetException) u = u.getCause();
          if (u instanceof org.apache.hadoop.yarn.exceptions.YarnException || u instanceof IOException) line("reject", "op=" + s.path("op").asText() + (s.has("app") ? " app=" + s.get("app").asInt() : "") + " why=" + why(word(u)));
          else error(s.path("op").asText(), u);
          if (VERBOSE) u.printStackTrace();
        }
        settle();
      }
    } finally {
      flush(); ph[3] = System.nanoTime(); rm.stop(); ph[4] = System.nanoTime();
      if (VERBOSE) System.err.printf("init %d start %d steps %d stop %d ms%n", (ph[1] - ph[0]) / 1000000, (ph[2] - ph[1]) / 1000000, (ph[3] - ph[2]) / 1000000, (ph[4] - ph[3]) / 1000000);
    }
  }

  void advance(long to) throws Exception {
    while (!timer.due.isEmpty() && timer.due.firstKey() <= to) {
      Map.Entry<Long, List<TimerTask>> e = timer.due.pollFirstEntry();
      SystemClock.now = e.getKey();
      for (TimerTask t : e.getValue()) { t.run(); settle(); }
    }
    if (to > SystemClock.now) SystemClock.now = to;
  }

  void addNode(JsonNode n) throws Exception {
    String name = n.get("name").asText();
    NodeId id = NodeId.newInstance(name, 1);
    if (n.has("label")) rm.getRMContext().getNodeLabelManager().replaceLabelsOnNode(Collections.singletonMap(id, Collections.singleton(n.get("label").asText())));
    MockNM nm = new MockNM(name + ":1", n.get("mem").asInt(), n.path("vc").asInt(1), rm.getResourceTrackerService());
    nm.registerNode(); nms.put(name, nm); pump.pump();
    SchedulerNode sn = (SchedulerNode) sched.getSchedulerNode(id);
    if (sn != null) field(SchedulerNode.class, "launchedContainers").set(sn, new LinkedHashMap<>());   // order of allocation instead of order of Java hashes
  }

  RMApp app(JsonNode s) { return rm.getRMContext().getRMApps().get(ApplicationId.newInstance(EPOCH, s.get("app").asInt())); }
  void skip(String why) { if (SKIPS) line("skip", "why=" + why); }
  <T> T as(UserGroupInformation u, PrivilegedExceptionAction<T> a) throws Exception {
    try { return u.doAs(a); } catch (java.lang.reflect.UndeclaredThrowableException e) { throw (Exception) e.getCause(); }
  }
  /** The live container that a step names: "c": number, "am", or "pick": k = the k-th (modulo) live container that the app's attempt has taken over and that is not its master, by number. */
  Map.Entry<ContainerId, Cont> pick(JsonNode s) {
    RMApp a = app(s); if (a == null || a.getCurrentAppAttempt() == null) return null;
    ApplicationAttemptId att = a.getCurrentAppAttempt().getAppAttemptId();
    Container m = a.getCurrentAppAttempt().getMasterContainer(); List<Map.Entry<ContainerId, Cont>> l = new ArrayList<>();
    for (Map.Entry<ContainerId, Cont> e : live.entrySet()) {
      if (!e.getKey().getApplicationAttemptId().equals(att)) continue;
      RMContainerState st = e.getValue().rm.getState();
      if (st != RMContainerState.ACQUIRED && st != RMContainerState.RUNNING) continue;      // the master does not know it yet, it cannot end
      boolean am = e.getValue().rm.isAMContainer() || m != null && m.getId().equals(e.getKey());
      if (s.has("c") ? s.get("c").asText().equals("am") ? am : (e.getKey().getContainerId() & 0xffffffffffL) == s.get("c").asLong() : !am) l.add(e);
    }
    return l.isEmpty() ? null : l.get(s.path("pick").asInt(0) % l.size());
  }
  void complete(Cont c, ContainerId id, int exit) {
    sched.completedContainer(c.rm, ContainerStatus.newInstance(id, ContainerState.COMPLETE, "", exit), RMContainerEventType.FINISHED);
  }

  void doStep(JsonNode s) throws Exception {
    String op = s.get("op").asText();
    switch (op) {
    case "submit": {
      int n = s.get("app").asInt(); String user = s.path("user").asText("u"); users.put(n, user);
      ApplicationId id = ApplicationId.newInstance(EPOCH, n);
      Resource r = Resource.newInstance(s.path("mem").asInt(1024), s.path("vc").asInt(1));
      ContainerLaunchContext clc = ContainerLaunchContext.newInstance(new HashMap<>(), new HashMap<>(), new ArrayList<>(), null, null, new HashMap<>());
      ApplicationSubmissionContext x = ApplicationSubmissionContext.newInstance(id, "a" + n, s.path("queue").asText("default"), Priority.newInstance(s.path("prio").asInt(0)), clc, false, false,
          s.path("attempts").asInt(0), r, "SIM");
      if (s.has("label")) { ResourceRequest q = ResourceRequest.newInstance(Priority.newInstance(0), "*", r, 1); q.setNodeLabelExpression(s.get("label").asText()); x.setAMContainerResourceRequests(Collections.singletonList(q)); }
      as(UserGroupInformation.createRemoteUser(user), () -> rm.getClientRMService().submitApplication(SubmitApplicationRequest.newInstance(x)));
      return; }
    case "registerAll": {
      for (int n : new ArrayList<>(users.keySet())) {
        RMApp a = rm.getRMContext().getRMApps().get(ApplicationId.newInstance(EPOCH, n)); RMAppAttempt t = a == null ? null : a.getCurrentAppAttempt();
        if (t != null && t.getAppAttemptState() == RMAppAttemptState.ALLOCATED) { doStep(new ObjectMapper().createObjectNode().put("op", "register").put("app", n)); pump.pump(); }
      }
      return; }
    case "register": {
      RMApp a = app(s); RMAppAttempt t = a == null ? null : a.getCurrentAppAttempt();
      if (t == null || t.getAppAttemptState() != RMAppAttemptState.ALLOCATED) { skip("attempt-" + (t == null ? "none" : t.getAppAttemptState())); return; }
      AM am = new AM(); am.att = t.getAppAttemptId();
      Token<AMRMTokenIdentifier> tok = rm.getRMContext().getAMRMTokenSecretManager().createAndGetAMRMToken(am.att);
      method(RMAppAttemptImpl.class, "setAMRMToken", Token.class).invoke(t, tok);
      pump.getEventHandler().handle(new RMAppAttemptEvent(am.att, RMAppAttemptEventType.LAUNCHED)); pump.pump();
      am.ugi = UserGroupInformation.createRemoteUser(am.att.toString()); am.ugi.addTokenIdentifier(tok.decodeIdentifier());
      as(am.ugi, () -> rm.getApplicationMasterService().registerApplicationMaster(RegisterApplicationMasterRequest.newInstance("", 1, "")));
      am.registered = true; ams.put(s.get("app").asInt(), am); pump.pump();
      List<JsonNode> later = deferred.remove(s.get("app").asInt());
      if (later != null) for (JsonNode d : later) { try { doStep(d); } catch (org.apache.hadoop.yarn.exceptions.YarnException e) { line("reject", "op=ask app=" + s.get("app").asInt() + " why=" + why(word(e))); } pump.pump(); }
      return; }
    case "ask": {
      RMApp a = app(s); AM am = ams.get(s.get("app").asInt());
      if (am == null || a == null || a.getCurrentAppAttempt() == null || !am.att.equals(a.getCurrentAppAttempt().getAppAttemptId()) || a.getCurrentAppAttempt().getAppAttemptState() != RMAppAttemptState.RUNNING) {
        if (s.path("defer").asBoolean(false)) deferred.computeIfAbsent(s.get("app").asInt(), k -> new ArrayList<>()).add(s); else skip("not-running");
        return; }
      List<ResourceRequest> l = new ArrayList<>(); List<ContainerId> rel = new ArrayList<>();
      for (JsonNode q : s.path("reqs")) {
        ResourceRequest r = ResourceRequest.newInstance(Priority.newInstance(q.path("prio").asInt(1)), q.path("at").asText("*"), Resource.newInstance(q.get("mem").asInt(), q.path("vc").asInt(1)), q.get("n").asInt(), q.path("relax").asBoolean(true));
        if (q.has("label")) r.setNodeLabelExpression(q.get("label").asText());
        l.add(r);
      }
      for (JsonNode c : s.path("release")) rel.add(ContainerId.newContainerId(am.att, c.asLong()));
      AllocateRequest req = AllocateRequest.newInstance(am.responseId, 0f, l, rel, null);
      AllocateResponse rsp = as(am.ugi, () -> rm.getApplicationMasterService().allocate(req));
      am.responseId = rsp.getResponseId();
      if (s.path("show").asBoolean(false)) line("headroom", "app=" + s.get("app").asInt() + " " + res(rsp.getAvailableResources()));
      return; }
    case "hb": {
      MockNM nm = nms.get(s.get("node").asText()); if (nm == null) { skip("no-node"); return; }
      List<ContainerStatus> done = new ArrayList<>();
      for (JsonNode d : s.path("done")) {
        Map.Entry<ContainerId, Cont> e = pick(d);
        if (e == null || !e.getValue().node.equals(s.get("node").asText())) { skip("no-container"); continue; }
        done.add(ContainerStatus.newInstance(e.getKey(), ContainerState.COMPLETE, "", d.path("exit").asInt(0)));
      }
      nm.nodeHeartbeat(done, true);
      return; }
    case "finish": {
      Map.Entry<ContainerId, Cont> e = pick(s); if (e == null) { skip("no-container"); return; }
      complete(e.getValue(), e.getKey(), s.path("exit").asInt(0));
      return; }
    case "end": {
      RMApp a = app(s); AM am = ams.get(s.get("app").asInt());
      if (a == null) { skip("no-app"); return; }
      RMAppAttempt t = a.getCurrentAppAttempt();
      if (am != null && t != null && am.att.equals(t.getAppAttemptId()) && t.getAppAttemptState() == RMAppAttemptState.RUNNING) {
        as(am.ugi, () -> rm.getApplicationMasterService().finishApplicationMaster(FinishApplicationMasterRequest.newInstance(FinalApplicationStatus.SUCCEEDED, "", "")));
        pump.pump();
        Cont c = live.get(t.getMasterContainer().getId());
        if (c != null) complete(c, t.getMasterContainer().getId(), 0);
        return;
      }
    } // falls through: not running, so it is killed
    case "kill": {
      RMApp a = app(s); if (a == null) { skip("no-app"); return; }
      as(UserGroupInformation.createRemoteUser(a.getUser()), () -> rm.getClientRMService().forceKillApplication(KillApplicationRequest.newInstance(a.getApplicationId())));
      return; }
    case "node": addNode(nodeDefs.get(s.get("node").asText())); return;
    case "lost": {
      MockNM nm = nms.remove(s.get("node").asText()); if (nm == null) { skip("no-node"); return; }
      pump.getEventHandler().handle(new RMNodeEvent(nm.getNodeId(), RMNodeEventType.EXPIRE));
      return; }
    case "refresh": readProps(s); conf = makeConf(); sched.reinitialize(conf, rm.getRMContext()); return;
    case "update": sched.update(); return;
    case "preempt": {
      if (!fair) {
        if (policy == null) policy = new ProportionalCapacityPreemptionPolicy(rm.getRMContext(), (CapacityScheduler) sched, SystemClock.getInstance());
        policy.editSchedule(); return;
      }
      Thread th = ((FS) sched).real; if (th == null) { skip("preemption-off"); return; }
      Object ctx = field(th.getClass(), "context").get(th);
      Object starved = method(ctx.getClass(), "getStarvedApps").invoke(ctx);
      Method take = method(starved.getClass(), "take");
      Collection<?> waiting = (Collection<?>) field(starved.getClass(), "appsToProcess").get(starved);
      while (!waiting.isEmpty()) {                                // the body of FSPreemptionThread.run()
        FSAppAttempt a = (FSAppAttempt) take.invoke(starved);
        @SuppressWarnings("unchecked") List<RMContainer> l = (List<RMContainer>) method(th.getClass(), "identifyContainersToPreempt", FSAppAttempt.class).invoke(th, a);
        for (RMContainer c : l) { Cont k = live.get(c.getContainerId()); if (k != null) decide("preempt-warn", k, c.getContainerId(), "-", " for=" + a.getApplicationId().getId()); }
        method(th.getClass(), "preemptContainers", List.class).invoke(th, l);
        method(FSAppAttempt.class, "preemptionTriggered", long.class).invoke(a, (Long) field(th.getClass(), "delayBeforeNextStarvationCheck").get(th));
      }
      field(starved.getClass(), "appBeingProcessed").set(starved, null);   // as the thread does when it asks for the next one
      return; }
    case "clock": return;
    case "dump": dump(); return;
    default: throw new IllegalArgumentException("unknown op " + op);
    }
  }

  // ---------------------------------------------------------------- limits on demand
  static String f(double d) { return String.format(Locale.ROOT, "%.6f", d); }
  void dump() throws Exception {
    Resource cluster = sched.getClusterResource();
    line("d-cluster", "total=" + two(cluster) + " nodes=" + sched.getNumClusterNodes() + " maxalloc=" + two(sched.getMaximumResourceCapability()));
    for (NodeId n : new TreeSet<>(rm.getRMContext().getRMNodes().keySet())) {
      SchedulerNode s = (SchedulerNode) sched.getSchedulerNode(n); if (s == null) continue;
      line("d-node", "node=" + n.getHost() + " rack=" + s.getRackName() + " total=" + two(s.getTotalResource()) + " used=" + two(s.getAllocatedResource()) + " free=" + two(s.getUnallocatedResource()) + " containers=" + s.getNumContainers()
          + " reserved=" + (s.getReservedContainer() == null ? "-" : s.getReservedContainer().getApplicationAttemptId().getApplicationId().getId() + ":" + two(s.getReservedContainer().getReservedResource())));
    }
    if (fair) {
      Map<String, FSQueue> m = new TreeMap<>(); for (FSQueue q : ((FairScheduler) sched).getQueueManager().getQueues()) m.put(q.getName(), q);
      for (FSQueue q : m.values()) {
        String s = "queue=" + q.getName() + " used=" + two(q.getResourceUsage()) + " demand=" + two(q.getDemand()) + " min=" + two(q.getMinShare()) + " max=" + two(q.getMaxShare()) + " fair=" + two(q.getFairShare()) + " steady=" + two(q.getSteadyFairShare())
            + " weight=" + q.getWeight() + " runnable=" + q.getNumRunnableApps();
        if (q instanceof FSLeafQueue) {
          FSLeafQueue l = (FSLeafQueue) q;
          s += " amshare=" + l.getMaxAMShare() + " amused=" + two((Resource) field(FSLeafQueue.class, "amResourceUsage").get(l)) + " ammax=" + two((Resource) method(FSLeafQueue.class, "computeMaxAMResource").invoke(l));
        }
        line("d-queue", s);
        if (q instanceof FSLeafQueue) {
          @SuppressWarnings("unchecked") List<FSAppAttempt> apps = new ArrayList<>((List<FSAppAttempt>) field(FSLeafQueue.class, "runnableApps").get(q));
          apps.sort(Comparator.comparing(SchedulerApplicationAttempt::getApplicationAttemptId));
          for (FSAppAttempt a : apps) line("d-app", "queue=" + q.getName() + " user=" + a.getUser() + " app=" + a.getApplicationId().getId() + " used=" + two(a.getResourceUsage()) + " demand=" + two(a.getDemand()) + " fair=" + two(a.getFairShare()) + " headroom=" + two(a.getHeadroom()) + " start=" + (a.getStartTime() - EPOCH));
        }
      }
      return;
    }
    for (CSQueue q : queues()) {
      String s = "queue=" + q.getQueuePath() + " cap=" + f(q.getCapacity()) + " abscap=" + f(q.getAbsoluteCapacity()) + " absmax=" + f(q.getAbsoluteMaximumCapacity()) + " usedcap=" + f(q.getUsedCapacity()) + " absused=" + f(q.getAbsoluteUsedCapacity())
          + " min=" + two(q.getEffectiveCapacity("")) + " max=" + two(q.getEffectiveMaxCapacity("")) + " used=" + two(q.getQueueResourceUsage().getUsed()) + " reserved=" + two(q.getQueueResourceUsage().getReserved()) + " pending=" + two(q.getQueueResourceUsage().getPending());
      if (!(q instanceof AbstractLeafQueue)) { line("d-queue", s); continue; }
      AbstractLeafQueue l = (AbstractLeafQueue) q;
      line("d-queue", s + " amlimit=" + two(l.calculateAndGetAMResourceLimit()) + " amused=" + two(l.getQueueResourceUsage().getAMUsed()) + " useramlimit=" + two(l.getUserAMResourceLimit()) + " active=" + l.getNumActiveApplications() + " pendingapps=" + l.getNumPendingApplications()
          + " maxapps=" + l.getMaxApplications() + " maxappsuser=" + l.getMaxApplicationsPerUser());
      for (String u : new TreeSet<>(l.getAllUsers())) {
        UsersManager.User x = l.getUser(u); if (x == null) continue;
        line("d-user", "queue=" + q.getQueuePath() + " user=" + u + " used=" + two(x.getUsed()) + " amused=" + two(x.getResourceUsage().getAMUsed()) + " limit=" + two(l.getResourceLimitForActiveUsers(u, cluster, "", SchedulingMode.RESPECT_PARTITION_EXCLUSIVITY))
            + " limitall=" + two(l.getResourceLimitForAllUsers(u, cluster, "", SchedulingMode.RESPECT_PARTITION_EXCLUSIVITY)) + " useramlimit=" + two(l.getUserAMResourceLimitPerPartition("", u)) + " active=" + x.getActiveApplications() + " pendingapps=" + x.getPendingApplications());
      }
      List<FiCaSchedulerApp> apps = new ArrayList<>(l.getApplications()); apps.sort(Comparator.comparing(SchedulerApplicationAttempt::getApplicationAttemptId));
      for (FiCaSchedulerApp a : apps) line("d-app", "queue=" + q.getQueuePath() + " user=" + a.getUser() + " app=" + a.getApplicationId().getId() + " used=" + two(a.getAppAttemptResourceUsage().getUsed()) + " pending=" + two(a.getAppAttemptResourceUsage().getPending()) + " reserved=" + two(a.getAppAttemptResourceUsage().getReserved()) + " headroom=" + two(a.getHeadroom()));
    }
  }

  // ---------------------------------------------------------------- main
  public static void main(String[] args) {
    int rc = 0;
    try {
      String dir = null; List<String> files = new ArrayList<>();
      for (int i = 0; i < args.length; i++) if (args[i].equals("-o")) dir = args[++i]; else if (args[i].equals("-v")) VERBOSE = true; else if (args[i].equals("-s")) SKIPS = true; else files.add(args[i]);
      ObjectMapper om = new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS);
      Path tmp = Files.createTempDirectory("rmoracle");
      java.security.Provider kp = new java.security.Provider("OneKey", "1", "") { }; kp.put("KeyPairGenerator.RSA", OneKey.class.getName()); java.security.Security.insertProviderAt(kp, 1);
      // no name service: every node name, and this machine's own, resolve to loopback
      Set<String> names = new TreeSet<>(Collections.singleton("localhost")); List<JsonNode> scs = new ArrayList<>();
      try { names.add(new String(Files.readAllBytes(Paths.get("/proc/sys/kernel/hostname"))).trim()); } catch (IOException e) { }
      for (String f : files) { JsonNode j = om.readTree(new File(f)); scs.add(j); for (JsonNode n : j.path("nodes")) names.add(n.get("name").asText()); }
      // each has its own address: the rack resolver turns names into addresses before it asks
      StringBuilder h = new StringBuilder(); int ip = 0;
      for (String n : names) { String a = "127.1." + ip / 250 + "." + (ip % 250 + 1); ip++; addr.put(n, a); h.append(a).append(' ').append(n).append('\n'); }
      Files.write(tmp.resolve("hosts"), h.toString().getBytes()); System.setProperty("jdk.net.hosts.file", tmp.resolve("hosts").toString());
      for (int i = 0; i < files.size(); i++) {
        long t0 = System.nanoTime();
        PrintStream ps = dir == null ? System.out : new PrintStream(new BufferedOutputStream(new FileOutputStream(new File(dir, new File(files.get(i)).getName().replaceAll("\\.json$", "") + ".out"))));
        try { new Oracle(scs.get(i), ps, tmp).run(); } finally { ps.flush(); if (dir != null) ps.close(); }
        System.err.println(files.get(i) + " " + (System.nanoTime() - t0) / 1000000 + " ms");
      }
      for (String n : new String[] {"hosts", "allocations.xml"}) Files.deleteIfExists(tmp.resolve(n)); Files.deleteIfExists(tmp);
    } catch (Throwable t) { t.printStackTrace(); rc = 1; }
    System.out.flush();
    Runtime.getRuntime().halt(rc);      // daemon-less threads of the RM would keep the program alive
  }
}
