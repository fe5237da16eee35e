// SPDX-License-Identifier: Apache-2.0

package strict

// InputError marks an error as the input's fault, which exit code 2 stands for.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// Setting is one --set of the command line: a path into a file and its value as YAML.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}
