// @module-tag slow
// @module-tag nightly
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServe } from '../../helpers/served.ts'
import { writeTree } from '../../helpers/skills.ts'
import { carried } from './skills.ts'
import { inspector, missing, pinned } from './tools.ts'
import { PROGRAM } from '../../helpers/built.ts'

const ERAS = ['legacy', 'modern'] as const

const cleanups: (() => void)[] = []
const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
let url = ''
afterAll(() => {
  for (const end of cleanups) end()
  rmSync(dir, { recursive: true, force: true })
})

describe.skipIf(missing !== undefined && !process.env['CI'])(
  `the MCP Inspector against skills serve and skills mcp${missing ? ` (not run: ${missing})` : ''}`,
  () => {
    beforeAll(async () => {
      writeTree(dir, carried())
      ;({ url } = await startServe(['--root', 'skills'], { cwd: dir }, (end) => cleanups.push(end)))
    })

    const overHttp = (era: string) => [`${url}/mcp`, '--transport', 'http', '--protocol-era', era]

    it.each(ERAS)('verifies the digest of every file of every skill (%s)', async (era) => {
      const argv = ['--method', 'skills/list', '--verify', '--require-digests']
      const { code, stdout, stderr } = await inspector(...overHttp(era), ...argv)
      expect({ code, stderr }).toMatchObject({ code: 0 })
      expect(stdout + stderr).toMatch(/Verified 3 skills and 10 files: no conformance errors/)
    })

    it.each(ERAS)('finds no tool with a schema that some clients reject (%s)', async (era) => {
      const { code, stdout, stderr } = await inspector(
        ...overHttp(era),
        '--method',
        'tools/list',
        '--strict',
      )
      expect(code).toBe(0)
      expect(stdout + stderr).toMatch(/\b0 errors/)
    })

    it.each(ERAS)('calls a tool over stdio (%s)', async (era) => {
      const command = [...PROGRAM, 'mcp']
      const argv = ['--method', 'tools/call', '--tool-name', 'list_skills', '--protocol-era', era]
      const { stdout } = await inspector(...command, '--root', join(dir, 'skills'), ...argv)
      expect(stdout).toContain('acme.invoices.sum')
    })

    it('is pinned, like the conformance suite', () => {
      for (const version of Object.values(pinned())) expect(version).toMatch(/^\d+\.\d+\.\d+/)
    })
  },
)
