// SPDX-License-Identifier: Apache-2.0

// Package papers holds published experiments as data: a folder for each paper, or for each chapter of a
// long one, with scenario files, the expected figures and a README. The command reproduce regenerates them.
package papers

import "embed"

// Files are the folders of this package.
//
//go:embed */*.yaml */*/*.yaml */*/*.json */README.md */*/README.md
var Files embed.FS
