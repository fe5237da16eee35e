// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.SleepJob;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Submits the SleepJobs of a plan one after another, in one process, and does not wait for their ends. A line of the plan
 * is: user queue name memory maps seconds-of-a-map pause, where memory is the MiB of the master and of each map, and pause
 * is how many seconds pass before the next line.
 */
public class Batch {
  record Line(String user, String queue, String name, int memory, int maps, double seconds, double pause) {
    static Line parse(String text) {
      String[] f = text.trim().split("\\s+");
      return new Line(f[0], f[1], f[2], Integer.parseInt(f[3]), Integer.parseInt(f[4]), Double.parseDouble(f[5]), Double.parseDouble(f[6]));
    }
  }

  public static void main(String[] args) throws Exception {
    List<Line> plan = new ArrayList<>();
    for (String text : Files.readAllLines(Path.of(args[0]))) {
      if (!text.isBlank()) plan.add(Line.parse(text));
    }
    for (Line line : plan) {
      String id = UserGroupInformation.createRemoteUser(line.user()).doAs((PrivilegedExceptionAction<String>) () -> submit(line));
      System.out.println(line.name() + " " + id);
      Thread.sleep(Math.round(line.pause() * 1000));
    }
    System.exit(0); // clients leave threads behind
  }

  static String submit(Line line) throws IOException, InterruptedException, ClassNotFoundException {
    JobConf conf = new JobConf();
    conf.set("mapreduce.job.queuename", line.queue());
    conf.setInt("yarn.app.mapreduce.am.resource.mb", line.memory());
    conf.setInt("mapreduce.map.memory.mb", line.memory());
    SleepJob sleep = new SleepJob();
    sleep.setConf(conf);
    Job job = sleep.createJob(line.maps(), 0, Math.round(line.seconds() * 1000), 1, 1, 1);
    job.setJobName(line.name());
    job.submit();
    return job.getJobID().toString().replace("job_", "application_");
  }
}
