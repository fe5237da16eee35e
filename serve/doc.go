// SPDX-License-Identifier: Apache-2.0

// Package serve is the workbench: results, jobs and what-ifs in the browser of the person who started it.
//
// It knows how to find result folders below one folder, to hand their files to the page, to make a form of a
// scenario, and to run commands. What a command does is not its business: it is given a function that runs a
// command line, so that the page can do nothing that the command line cannot, writes the same folders, and shows
// the command behind every view.
//
// Who may ask (guard.go): the server listens on the loopback address alone. A request must name that address as
// its host, must not come from another origin, and must carry the cookie that the printed URL, with its random
// token, has set. Pages of results are shown in a sandbox without an origin of their own.
//
// The page (assets/) is plain scripts and one style sheet, which ask nothing of any other host.
package serve
