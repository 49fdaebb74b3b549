//go:build conformance

package engine

import "testing"

// All kinds of damage at all kinds of files, four times each: some thousand archives.
func TestResumeAfterEveryDamage(t *testing.T) { resumeAfterDamage(t, 1, 4) }

// Each kind of damage at files of each kind while the crawl runs, ten times: 240 archives.
func TestEveryDamageWhileItRuns(t *testing.T) { damageWhileItRuns(t, 1, 10) }
