// @module-tag readable-clone
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../../helpers/built.ts'
import { createFolder } from '../../helpers/skills.ts'

const NOBODY = 65_534

describe('a file without read permission', () => {
  // The sandbox cannot copy the second file, so no run of the skill starts.
  it.each(['a/SKILL.md', 'a/data.bin'])('is reported by lint as not checked: %s', (closed) => {
    const markdown = '---\nname: a\ndescription: d\n---\n# A\n'
    const root = createFolder({ 'a/SKILL.md': markdown, 'a/data.bin': '' })
    chmodSync(join(root, closed), 0)
    if (process.geteuid?.() === 0) {
      for (const path of ['', 'a', 'a/SKILL.md', 'a/data.bin'])
        chownSync(join(root, path), NOBODY, NOBODY)
    }
    // Root may read every file, so the program runs as another user.
    const user = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    const [node = '', ...words] = PROGRAM
    const done = spawnSync(node, [...words, 'lint', 'a'], {
      ...user,
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: root },
      encoding: 'utf8',
    })
    expect(done.stderr).toContain(`Cannot check "${closed}": permission denied`)
    expect(done.status).toBe(3)
  })
})
