// @module-tag slow
import { join } from 'node:path'
import { expect, it } from 'vitest'
import '../../helpers/built.ts'
import { runChild } from '../../helpers/child.ts'
import { createFolder } from '../../helpers/skills.ts'

it('40 tasks cost a third fewer tokens than before the families of tools became one, with the same files', async () => {
  const script = join(import.meta.dirname, 'main.js')
  const env = { HOME: createFolder() }
  const { code, stdout, stderr } = await runChild(process.execPath, [script], { cwd: '/', env })
  expect(stderr).toBe('')
  expect(stdout).toContain('Tokens of 40 tasks')
  expect(stdout).toMatch(/at most 0\.667: holds\n$/)
  expect(code).toBe(0)
})
