// SPDX-License-Identifier: Apache-2.0

package conf

const pre = "yarn.resourcemanager.monitor.capacity.preemption."

// monitor are the properties of pre-emption.
var monitor = []Entry{
	{pre + "additional_res_balance_based_on_reserved_containers", "false", "boolean", ""},
	{pre + "conservative-drf", "false", "boolean", ""},
	{pre + "intra-queue-preemption.conservative-drf", "true", "boolean", ""},
	{pre + "intra-queue-preemption.enabled", "false", "boolean", ""},
	{pre + "intra-queue-preemption.max-allowable-limit", "0.2", "share", ""},
	{pre + "intra-queue-preemption.minimum-threshold", "0.5", "share", ""},
	{pre + "intra-queue-preemption.preemption-order-policy", "userlimit_first", "userlimit_first or priority_first", ""},
	{pre + "max_ignored_over_capacity", "0.1", "share", ""},
	{pre + "max_wait_before_kill", "15000", "milliseconds", ""},
	{pre + "monitoring_interval", "3000", "milliseconds", ""},
	{pre + "natural_termination_factor", "0.2", "share", ""},
	{pre + "observe_only", "false", "boolean", ""},
	{pre + "preemption-to-balance-queue-after-satisfied.enabled", "false", "boolean", ""},
	{pre + "preemption-to-balance-queue-after-satisfied.max-wait-before-kill", "300000", "milliseconds", ""},
	{pre + "select_based_on_reserved_containers", "false", "boolean", ""},
	{pre + "total_preemption_per_round", "0.1", "share", ""},
}
