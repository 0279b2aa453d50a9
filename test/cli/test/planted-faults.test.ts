// @module-tag slow
// @module-tag nightly
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { FAULTS } from './faults.ts'

const SKILLS = fileURLToPath(new URL('../../../skills', import.meta.url))
const ENV = { CI: 'true' }

describe('the tests of the example skills', { timeout: 900_000 }, () => {
  it('pass without a fault', async () => {
    const cwd = createFolder()
    cpSync(SKILLS, join(cwd, 'skills'), { recursive: true })
    const { code, stdout } = await runSkills(['test', 'skills'], { cwd, env: ENV })
    expect(code, stdout).toBe(0)
  })

  it('find each of 40 planted faults', async () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(40)
    const cwd = createFolder()
    const paths = FAULTS.map(({ skill, file, old, new: next }, at) => {
      // Each copy has the other skills beside it, because a case may mount them.
      cpSync(SKILLS, join(cwd, `${at}`), { recursive: true })
      const path = join(cwd, `${at}`, skill, file)
      const parts = readFileSync(path, 'utf8').split(old)
      expect(parts, `"${old}" occurs once in ${file}`).toHaveLength(2)
      writeFileSync(path, parts.join(next))
      return join(`${at}`, skill)
    })
    const argv = ['test', '--reporter', 'concise', ...paths]
    const { stdout, stderr } = await runSkills(argv, { cwd, env: ENV })
    expect(stderr).toBe('')
    const found = new Set([...stdout.matchAll(/^(\d+\/[^/]+)\/tests\//gm)].map(([, path]) => path))
    const missed = FAULTS.filter((_, at) => !found.has(paths[at] as string))
    expect(missed).toEqual([])
  })
})
