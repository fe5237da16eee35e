// SPDX-License-Identifier: Apache-2.0

package report

import (
	"embed"
	"html/template"
	"strings"
)

//go:embed assets/*.html.tmpl assets/style.css assets/*.js
var assets embed.FS

// scripts are joined in this order into one function scope: later ones use earlier ones.
var scripts = []string{
	"format.js", "scale.js", "dom.js", "tip.js", "state.js", "save.js", "menu.js", "chart.js", "hover.js", "zoom.js", "legend.js",
	"cdf.js", "variability.js", "ranges.js", "scatter.js", "timeline.js", "forecast.js", "gantt.js", "network.js", "circuits.js", "blame.js", "main.js",
}

var (
	pageTemplate = template.Must(template.New("page.html.tmpl").ParseFS(assets, "assets/page.html.tmpl", "assets/tree.html.tmpl", "assets/drawing.html.tmpl"))
	styleSheet   = template.CSS(asset("style.css"))
	script       = template.JS(joinScripts())
)

func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // the file is embedded, so a wrong name is a mistake in this package
	}
	return string(b)
}

// joinScripts wraps all scripts into one strict function, so that the page has no globals.
func joinScripts() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts {
		b.WriteString(asset(name))
	}
	b.WriteString("})();\n")
	return b.String()
}

// StyleSheet is the style sheet of all pages.
func StyleSheet() string { return string(styleSheet) }
