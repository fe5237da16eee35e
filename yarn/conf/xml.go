// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"bytes"
	"encoding/xml"
	"fmt"
)

// ReadXML puts the properties of a configuration file over those that are there. Of a property given twice
// the last counts.
func (p Properties) ReadXML(file string, src []byte) error {
	var doc struct {
		XMLName    xml.Name `xml:"configuration"`
		Properties []struct {
			Name  string  `xml:"name"`
			Value *string `xml:"value"`
		} `xml:"property"`
	}
	d := xml.NewDecoder(bytes.NewReader(src))
	if err := d.Decode(&doc); err != nil {
		line, col := d.InputPos()
		return fmt.Errorf("%s:%d:%d: malformed XML: %w", file, line, col, err)
	}
	for _, q := range doc.Properties {
		if q.Value != nil {
			p[q.Name] = *q.Value
		}
	}
	return nil
}
