module github.com/yardmaster/yardmaster

go 1.26

require (
	github.com/alecthomas/kong v1.16.1
	github.com/chromedp/cdproto v0.157.8
	github.com/chromedp/chromedp v0.21.0
	github.com/goccy/go-yaml v1.19.2
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
