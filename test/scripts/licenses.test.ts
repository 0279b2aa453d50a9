import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isAllowed, listLicenses } from '../../scripts/licenses/report.ts'
import { createFolder } from '../helpers/skills.ts'
import { BUILT_MODULES } from '../helpers/built.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/licenses.ts', import.meta.url))

function runScript(packages: object): { code: number | null; stdout: string; stderr: string } {
  const cwd = createFolder({ 'package-lock.json': JSON.stringify({ packages }) })
  const argv = ['--import', BUILT_MODULES, SCRIPT, join(cwd, 'package-lock.json')]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

describe('listLicenses()', () => {
  it('lists production packages by name, nested ones too, and no others', () => {
    const packages = {
      '': { name: 'skills-protocol', version: '1.0.0' },
      'node_modules/b': { version: '2.0.0', license: 'MIT' },
      'node_modules/@a/c': { version: '1.0.0', license: 'GPL-3.0-only' },
      'node_modules/b/node_modules/a': { version: '3.0.0' },
      'node_modules/d': { version: '1.0.0', license: 'MIT', dev: true },
    }
    expect(listLicenses({ packages })).toEqual([
      { name: '@a/c', version: '1.0.0', license: 'GPL-3.0-only', isAllowed: false },
      { name: 'a', version: '3.0.0', license: undefined, isAllowed: false },
      { name: 'b', version: '2.0.0', license: 'MIT', isAllowed: true },
    ])
  })
})

describe('isAllowed()', () => {
  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND ISC', true],
    ['MIT AND GPL-3.0-only', false],
    ['SEE LICENSE IN LICENSE.txt', false],
    ['UNLICENSED', false],
  ])('%s: %s', (expression, expected) => {
    expect(isAllowed(expression)).toBe(expected)
  })
})

describe('npm run licenses', () => {
  it('prints each dependency and succeeds where all licences are allowed', () => {
    expect(runScript({ 'node_modules/a': { version: '1.2.3', license: 'ISC' } })).toEqual({
      code: 0,
      stdout: 'a@1.2.3  ISC\n',
      stderr: '',
    })
  })

  it('fails and names the package where a licence is not allowed', () => {
    const { code, stderr } = runScript({
      'node_modules/a': { version: '1.2.3', license: 'GPL-2.0' },
    })
    expect(code).toBe(1)
    expect(stderr).toContain('  a: GPL-2.0\n')
  })
})
