// SPDX-License-Identifier: Apache-2.0

package answers

import (
	"io"

	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
)

// Write writes the folder of an answer: manifest, the page, and the answer itself as JSON under the given name.
func Write(path string, m *result.Manifest, page *report.Answer, name string, answer any) error {
	page.Version, page.Command = m.Yardmaster, m.Command
	folder, err := result.NewFolder(path)
	if err != nil {
		return err
	}
	defer folder.Discard() // nothing is left of it after Commit
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{result.ManifestName, func(w io.Writer) error { return result.WriteJSON(w, m) }},
		{name, func(w io.Writer) error { return result.WriteJSON(w, answer) }},
		{result.PageName, func(w io.Writer) error { return report.WriteAnswer(w, page) }},
	} {
		if err := folder.Write(f.name, f.write); err != nil {
			return err
		}
	}
	return folder.Commit()
}
