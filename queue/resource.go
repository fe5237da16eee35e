// SPDX-License-Identifier: Apache-2.0

package queue

import "fmt"

// Resource is an amount of room: memory in MB and virtual cores.
type Resource struct {
	Memory int64
	VCores int64
}

// String returns the resource as MB/vcores.
func (r Resource) String() string { return fmt.Sprintf("%d/%d", r.Memory, r.VCores) }

// Add returns r + s.
func (r Resource) Add(s Resource) Resource { return Resource{r.Memory + s.Memory, r.VCores + s.VCores} }

// Sub returns r - s, which may be negative.
func (r Resource) Sub(s Resource) Resource { return Resource{r.Memory - s.Memory, r.VCores - s.VCores} }

// Times returns n times r.
func (r Resource) Times(n int64) Resource { return Resource{r.Memory * n, r.VCores * n} }

// Part returns r * by, each component cut off; nothing if by is NaN.
func (r Resource) Part(by float64) Resource {
	return Resource{whole(float64(r.Memory) * by), whole(float64(r.VCores) * by)}
}

// Least returns the smaller of each component.
func (r Resource) Least(s Resource) Resource {
	return Resource{min(r.Memory, s.Memory), min(r.VCores, s.VCores)}
}

// Most returns the larger of each component.
func (r Resource) Most(s Resource) Resource {
	return Resource{max(r.Memory, s.Memory), max(r.VCores, s.VCores)}
}

// Within reports whether no component of r is larger than that of s.
func (r Resource) Within(s Resource) bool { return r.Memory <= s.Memory && r.VCores <= s.VCores }
