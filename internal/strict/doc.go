// SPDX-License-Identifier: Apache-2.0

// Package strict reads YAML files the way a careful clerk would: every name must be known, every
// value must have its type, unit and bounds, and all faults are reported at once, each with file,
// line, column, path, what was found and what is allowed. Scenario files, policy parameters and
// files of expected figures are read with it.
//
// A file goes through three steps:
//
//	n, errs := strict.Parse("scenario.yaml", src)        // text to a neutral tree with positions
//	errs = append(errs, strict.Set(n, "policy.skips", "3", "--set policy.skips=3")...)
//	cfg := DefaultScenario()                             // dst holds the defaults
//	errs = append(errs, strict.Decode(n, &cfg)...)       // absent fields keep them
//	errs = append(errs, strict.Locate(n, "", cfg.Validate())...)
//	if err := errs.Err(); err != nil { ... }             // all of them, sorted by position
//
// Every function takes a nil tree, which Parse returns after a syntax error, and does nothing with
// it, so the steps need no checks between them. (Guard Validate yourself where it needs values.)
//
// # Tags
//
// A struct field takes part when it has a yaml tag; the others are left alone.
//
//	yaml:"map-slots"       the name in the file; ",omitempty" leaves a zero value out of Encode
//	yaml:",inline"         the fields of this struct stand in the enclosing mapping
//	doc:"one sentence"     for Fields
//	required:"true"        absence is an error
//	oneof:"fifo,fair"      the texts a string field accepts
//	min:"0" max:"100%"     inclusive bounds, above:"0" an exclusive one, in the type's own notation
//
// Bounds and oneof on a pointer, list or map hold for its elements. A fault in a tag is a bug of the
// program: Decode, Encode and Fields panic on it.
//
// # Types
//
// Strings, booleans, integers, floats, pointers (optional values), slices, maps with string keys,
// structs, [encoding.TextUnmarshaler] (with an optional method Allowed() string that says what
// the text may be), and [Unmarshaler] for fields that may have several shapes. A *[Node]
// field takes any value as it stands, to be decoded later with [DecodeAt].
//
// A list or map in a file replaces the default as a whole, and an empty one becomes nil. New list items, map values and
// pointed-to values start from zero, or from what their SetDefaults method sets.
//
// Numbers are written as in JSON: no hexadecimal, no underscores, no leading plus or zero, so
// that nothing is read differently by two readers of YAML.
package strict
