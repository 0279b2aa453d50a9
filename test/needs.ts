import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a test needs of the machine beyond Node, npm, python3, git and a shell. */
export interface Need {
  isMet: boolean
  /** Why the tests are skipped. */
  reason: string
  remedy: string
}

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/**
 * Each is a tag of vitest: a test that has the tag is skipped where the need is not met, and the last lines of a run
 * name the reason and the remedy. `// @module-tag nats-server` gives a tag to all tests of a file.
 */
export const NEEDS: Readonly<Record<string, Need>> = {
  root: {
    isMet: process.getuid?.() === 0,
    reason: 'root is needed',
    remedy: 'repeat as root',
  },
  'readable-clone': {
    isMet: process.getuid?.() !== 0 || canOthersEnter(ROOT),
    reason: 'a test of root becomes another user, who may not enter this folder',
    remedy: 'clone to a folder that others may enter',
  },
  bubblewrap: needProgram('bwrap', 'bubblewrap'),
  'nats-server': needProgram(
    // oxlint-disable-next-line node/no-process-env -- chosen by the caller of the tests
    process.env['SKILLS_TEST_NATS_SERVER'] ?? 'nats-server',
    'nats-server',
  ),
}

/** True if other users than the owners may pass through a folder and all above it. */
function canOthersEnter(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0
  return isOpen && (folder === '/' || canOthersEnter(dirname(folder)))
}

/** A program of a Debian package. */
function needProgram(program: string, name: string): Need {
  return {
    isMet: spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
    reason: `${name} is not installed`,
    remedy: `apt-get install ${name}`,
  }
}
