// SPDX-License-Identifier: Apache-2.0

// Package plot lays charts out for pages: curves, dots, bars, boxes and areas over two axes become SVG paths, without
// scripts.
package plot
