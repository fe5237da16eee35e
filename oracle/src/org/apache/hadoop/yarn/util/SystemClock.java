// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.yarn.util;

/** Shadow of the release's class: must come before hadoop-yarn-common on the class path. Time moves only when the driver says so. */
public final class SystemClock implements Clock {
  public static volatile long now = 0;
  private static final SystemClock INSTANCE = new SystemClock();
  public static SystemClock getInstance() { return INSTANCE; }
  @Deprecated public SystemClock() { }
  public long getTime() { return now; }
}
