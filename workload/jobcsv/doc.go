// SPDX-License-Identifier: Apache-2.0

// Package jobcsv reads and writes Yardmaster's own form of a trace: comma-separated values, one job per
// row, that hold everything a workload.Record can say.
//
//	name,submit,input,maps,map_lengths,reduces,reduce_lengths
//	etl,0,3GiB,24,20x12.5 4x300ms,1,40
//	"report, daily",60.25,128MiB,1,9,0,
//
// The first row names the columns, in any order. name and submit must be there; a column that is
// absent and a cell that is empty mean that the trace does not say. Rows may be quoted as in RFC
// 4180: a cell that holds a comma, a quote or a line break stands in quotes, its own quotes doubled.
// A text that begins with = + - @ or a tab has an apostrophe before it, which is not part of it, so that a spreadsheet
// does not run it; the reader takes texts of this kind with and without. Empty lines are skipped. The text is UTF-8; a byte-order mark before it is ignored. A row has at
// most 64 MiB.
//
//	column                          holds
//	name                            text, different for every job
//	user, queue, class              text
//	submit                          time since the origin of the trace; with after, think time
//	after                           name of a job in an earlier row that must end first
//	priority                        very-high, high, normal, low or very-low
//	weight                          number above 0
//	goal, period                    time
//	input, shuffle, output          size
//	maps, reduces                   count; follows from a list of that kind where it is not given
//	map_lengths, reduce_lengths     times split by spaces, one per task
//	class_lengths                   for some classes of machines NAME=MAP/REDUCE/TAIL split by spaces: how long a
//	                                map, a reduce and its shuffle tail take there on average
//	shuffle_tail                    time
//	map_hosts                       texts such as /rack1/host7 split by spaces, one per map
//	other_hosts                     where else the blocks lie: hosts with commas between them, split by
//	                                spaces, one list per map
//	input_file                      text: jobs that name the same file read the same blocks
//	map_cycles, reduce_cycles       number above 0: cycles of a core per byte
//	map_memory, reduce_memory       size
//	map_vcores, reduce_vcores       count
//	am_type                         text: kind of the application master, empty for MapReduce's
//	am_memory_mb, am_vcores         count: size of its container
//	am_start                        time from the start of its process to the initialised job
//	slow_start                      share of maps, 0 to 1, that end before reduces are asked for
//	map_asks, reduce_asks           MiB/vcores/priority/delay split by spaces, one per task; 0 is what
//	                                the trace does not say
//	label                           text: label of the nodes that it asks for
//	waited, elapsed                 time: what the job really took from its submission to its first
//	                                task's start and to its end, where the trace is a history
//
// A time is a number of seconds with up to 9 decimals, or a number with its unit (300ms, 1.5h). A
// size is a whole number of bytes, or a number with its unit (128MiB). No number is negative.
//
// In a list of lengths, 3x12.5 stands for 12.5 12.5 12.5, and so in a list of asks. A file may leave at most 67,108,864 tasks
// unwritten in this way, so that a small file cannot fill the memory. In map_hosts, %20 stands for a
// space and %25 for a percent sign, as in URLs; a single - stands for a host that is not known. The
// same holds for other_hosts.
//
// Write writes the columns that at least one record uses. Reading what was written gives the same
// records but for Where and Past; an empty list is the same as one that is not given.
package jobcsv
