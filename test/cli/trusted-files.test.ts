import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const TOKEN = 'a-token-of-sufficient-length'

function createTokenFile(): { cwd: string; file: string } {
  const cwd = createFolder({ 'tokens.txt': `${TOKEN} alice\n` })
  const file = join(cwd, 'tokens.txt')
  chmodSync(file, 0o600)
  return { cwd, file }
}

describe('a token file', () => {
  const commands = [
    ['serve', '--check', '--token-file', 'tokens.txt'],
    ['list', '--url', 'http://127.0.0.1:9', '--token-file', 'tokens.txt'],
  ]

  it.each(commands)('refuses a token file that others can write to', async (...argv) => {
    const { cwd, file } = createTokenFile()
    const run = async () => {
      const { stdout, stderr } = await runSkills(argv, { cwd })
      return stdout + stderr
    }
    expect(await run()).not.toContain('Others can write to')
    chmodSync(file, 0o620)
    expect(await run()).toContain(`Others can write to "${file}", the token file`)
    chmodSync(file, 0o600)
    chmodSync(cwd, 0o777)
    expect(await run()).toContain('the folder of the token file')
  })

  it.skipIf(process.getuid?.() !== 0)('of another user is refused (needs root)', async () => {
    const { cwd, file } = createTokenFile()
    chownSync(file, 12_345, 12_345)
    const { stderr } = await runSkills(commands[1] as string[], { cwd })
    expect(stderr).toContain('the token file, belongs to another user')
  })
})

describe('the file of --config', () => {
  it('is refused if others can write to it, and obeyed in all settings otherwise', async () => {
    const cwd = createFolder()
    const file = join(cwd, 'own.toml')
    writeFileSync(file, '[run]\npython = "/mine"\n')
    const read = async () =>
      await runSkills(['config', 'get', 'run.python', '--config', file], { cwd })
    expect((await read()).stdout).toBe('/mine\n')
    chmodSync(file, 0o666)
    const { code, stderr } = await read()
    expect([code, stderr]).toEqual([2, expect.stringContaining('Others can write to')])
  })
})

describe('a client', () => {
  it('sends no token over plain http to another machine, without a flag', async () => {
    const env = { SKILLS_TOKEN: TOKEN }
    const list = ['list', '--url', 'http://skills.invalid:1']
    const refused = await runSkills(list, { env })
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /Expected https for "http:\/\/skills\.invalid:1".*\n.*--allow-plain-http/,
      ),
    ])
    expect(refused.stderr).not.toContain(TOKEN)
    // The controls: with the flag, and without a token, it tries to connect.
    for (const [argv, at] of [
      [[...list, '--allow-plain-http'], { env }],
      [list, {}],
    ] as const) {
      expect((await runSkills(argv, at)).stderr).not.toContain('Expected https')
    }
  })

  it.each([
    'http://10.0.0.5',
    'http://127.evil.example',
    'http://localhost.evil.example',
    'http://[::2]',
  ])('refuses a token for %s in the library', (url) => {
    expect(() => createClient({ url, token: TOKEN })).toThrow('plain http')
    expect(() => createClient({ url, token: TOKEN, allowPlainHttp: true })).not.toThrow()
  })

  it.each([
    'http://127.0.0.1',
    'http://localhost:1',
    'http://[::1]:2',
    'http://0x7f.1',
    'https://a.example',
  ])('accepts a token for %s', (url) => {
    expect(() => createClient({ url, token: TOKEN })).not.toThrow()
  })
})
