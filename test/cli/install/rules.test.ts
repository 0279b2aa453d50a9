import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkSignatureRule, checkSourceRule } from '../../../src/core/installing/install-rules.ts'
import { parseSkillSource } from '../../../src/core/sources/skill-source.ts'
import { createInstallProject, type InstallFixture } from '../../helpers/install-project.ts'

const rules = (...sources: string[][]) => ({ requireSignature: false, sources })
const check = (text: string, ...sources: string[][]) => {
  checkSourceRule(rules(...sources), parseSkillSource(text, '/'), text)
}

it.each([
  ['github:acme/tools', [['github:acme/*']]],
  ['github:ACME/tools/greet@v1', [['github:acme/tools']]],
  ['npm:@acme/greet@1.0.0', [['npm:@acme/*']]],
  ['https://example.com/skills/greet.tar.gz', [['https://example.com/skills/*']]],
  ['/tmp', [['*']]],
  ['/tmp', []],
])('%s is allowed by %j', (text, sources) => {
  expect(() => check(text, ...sources)).not.toThrow()
})

it.each([
  ['github:acme-evil/tools', [['github:acme/*']]],
  ['github:evil/acme', [['github:acme/*']]],
  ['https://example.com.evil.example/a.tar.gz', [['https://example.com/*']]],
  ['https://example.com/other/greet.tar.gz', [['https://example.com/skills/*']]],
  ['/tmp', [['github:acme/*']]],
  ['github:acme/tools', [[]]],
  // The strongest list wins: a project cannot allow more than its user.
  ['github:evil/tools', [['*'], ['github:acme/*']]],
  ['github:evil/tools', [['github:acme/*'], ['*']]],
])('%s is refused by %j', (text, sources) => {
  expect(() => check(text, ...sources)).toThrow('not allowed by install.sources')
})

it('a pattern that is not valid is refused', () => {
  expect(() => check('github:acme/tools', ['acme/*'])).toThrow('install.sources')
})

it('a skill without a valid signature is refused only by the rule', () => {
  const strict = { requireSignature: true, sources: [] }
  const [signed, unsigned] = [['acme'], []].map((signers) => ({ signers, attestations: [] }))
  expect(() => checkSignatureRule(strict, unsigned!)).toThrow('install.require_signature')
  expect(() => checkSignatureRule(strict, signed!)).not.toThrow()
  expect(() => checkSignatureRule(rules(), unsigned!)).not.toThrow()
})

function writeUserConfig({ home }: InstallFixture, text: string): void {
  mkdirSync(join(home, '.config/skills'), { recursive: true })
  writeFileSync(join(home, '.config/skills/config.toml'), text)
}

it("a project's configuration lifts no rule of the user, in install, in that of pending skills, and restore", async () => {
  const project = createInstallProject('[install]\nrequire_signature = false\nsources = ["*"]\n')
  const { run, runWith, cwd, source } = project
  const installed = join(cwd, '.agents/skills/greet')
  // The control: without rules of the user, all three install it.
  expect(await run('install', source, '--yes')).toMatchObject({ code: 0 })
  writeFileSync(join(cwd, source, 'extra.txt'), 'new')
  expect(await run('install', source)).toMatchObject({ code: 4 })
  // A source without the files of the lock would be refused for that reason.
  rmSync(join(cwd, source, 'extra.txt'))
  for (const text of ['require_signature = true', 'sources = ["github:acme/*"]']) {
    writeUserConfig(project, `[install]\n${text}\n`)
    rmSync(installed, { recursive: true, force: true })
    for (const argv of [
      ['install', source, '--yes'],
      ['install', '--pending', 'demo.greet', '--yes'],
      ['install', '--frozen'],
    ]) {
      const { code, stderr } = await run(...argv)
      expect([code, stderr]).toEqual([1, expect.stringContaining('install.')])
    }
    expect(existsSync(installed)).toBe(false)
  }
  writeUserConfig(project, '[install]\nrequire_signature = true\n')
  const env = { SKILLS_INSTALL_REQUIRE_SIGNATURE: 'false' }
  expect(await runWith({ env }, 'install', source, '--yes')).toMatchObject({ code: 1 })
})
