// SPDX-License-Identifier: Apache-2.0

package yarn

import "errors"

// ErrTooLarge refuses a request for a container above the largest that there is.
var ErrTooLarge = errors.New("greater than maximum allowed allocation")
