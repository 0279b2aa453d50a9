import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../../helpers/program.ts'
import { folder } from '../../helpers/skills.ts'

const NOBODY = 65_534

describe('a file that may not be read', () => {
  it('is said by lint to be unchecked, with exit status 3', () => {
    const root = folder({ 'a/SKILL.md': '---\nname: a\ndescription: d\n---\n# A\n' })
    chmodSync(join(root, 'a/SKILL.md'), 0)
    if (process.geteuid?.() === 0) {
      for (const path of ['', 'a', 'a/SKILL.md']) chownSync(join(root, path), NOBODY, NOBODY)
    }
    // Root may read everything, so the program is somebody else's.
    const who = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    const [node = '', ...words] = PROGRAM
    const done = spawnSync(node, [...words, 'lint', 'a'], {
      ...who,
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: root },
      encoding: 'utf8',
    })
    expect(done.stderr).toContain('Cannot check "a/SKILL.md": it may not be read')
    expect(done.status).toBe(3)
  })
})
