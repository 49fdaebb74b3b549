//go:build conformance

package engine

import "testing"

// All kinds of damage at all kinds of files, four times each: some thousand archives.
func TestResumeAfterEveryDamage(t *testing.T) { resumeAfterDamage(t, 1, 4) }
