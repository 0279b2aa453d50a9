import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setConfigValue, unsetConfigValue } from '../../../../src/core/config/edit/edit-config.ts'
import { CONFIG_KEYS } from '../../../../src/core/config/keys.ts'
import type { Plain } from '../../../../src/core/skills/manifest/source.ts'
import { readToml } from '../../../../src/core/skills/manifest/toml-source.ts'
import { createFolder } from '../../../helpers/skills.ts'

const NAME = 'skills.config.toml'

async function setIn(text: string, key: string | string[], value: Plain): Promise<string> {
  const file = join(createFolder({ [NAME]: text }), NAME)
  await setConfigValue(file, typeof key === 'string' ? key.split('.') : key, value)
  return readFileSync(file, 'utf8')
}

async function unsetIn(text: string, key: string): Promise<string> {
  const file = join(createFolder({ [NAME]: text }), NAME)
  await unsetConfigValue(file, key.split('.'))
  return readFileSync(file, 'utf8')
}

describe('setConfigValue', () => {
  it.each([
    [
      'replaces a value and keeps its comment',
      '[run]\ntimeout = "1s" # short\nwarm = true\n',
      '[run]\ntimeout = "2s" # short\nwarm = true\n',
    ],
    [
      'adds a line below the last one of its table',
      '[run] # runs\n  warm = true # yes\n\n# next\n[serve]\n',
      '[run] # runs\n  warm = true # yes\n  timeout = "2s"\n\n# next\n[serve]\n',
    ],
    [
      'adds a line below an empty header',
      '[run]\n# warm = true\n\n[serve]\n',
      '[run]\ntimeout = "2s"\n# warm = true\n\n[serve]\n',
    ],
    ['appends an absent table', 'top = true', 'top = true\n\n[run]\ntimeout = "2s"\n'],
    ['fills an empty file', '', '[run]\ntimeout = "2s"\n'],
    [
      'adds to an inline table',
      'run = { warm = true } # x\n',
      'run = { warm = true, timeout = "2s" } # x\n',
    ],
    ['adds to an empty inline table', 'run = {}\n', 'run = { timeout = "2s" }\n'],
    [
      'adds a dotted key next to others',
      'run.warm = true\n[serve]\n',
      'run.warm = true\nrun.timeout = "2s"\n[serve]\n',
    ],
    ['finds a quoted key', '["run"]\n"timeout" = \'1s\'\n', '["run"]\n"timeout" = "2s"\n'],
    [
      'keeps the line feeds of Windows',
      '[run]\r\nwarm = true\r\n',
      '[run]\r\nwarm = true\r\ntimeout = "2s"\r\n',
    ],
    ['keeps a byte order mark', '\uFEFF[serve]\n', '\uFEFF[serve]\n\n[run]\ntimeout = "2s"\n'],
    [
      'is not misled by a string',
      'x = """\n[run]\ntimeout = "1s"\n"""\n',
      'x = """\n[run]\ntimeout = "1s"\n"""\n\n[run]\ntimeout = "2s"\n',
    ],
  ])('%s', async (_title, before, after) => {
    expect(await setIn(before, 'run.timeout', '2s')).toBe(after)
  })

  it('adds a setting of the top above the first table, below the comment of the file', async () => {
    expect(await setIn('# Project\n\n# Runs\n[run]\nwarm = true\n', 'top', false)).toBe(
      '# Project\n\ntop = false\n\n# Runs\n[run]\nwarm = true\n',
    )
    expect(await setIn('# Project\n[run]\nwarm = true\n', 'top', false)).toBe(
      '# Project\ntop = false\n\n[run]\nwarm = true\n',
    )
  })

  it('quotes names and strings that need it', async () => {
    const text = await setIn('[lint.rules]\n', ['lint', 'rules', 'naming/hyphens'], 'off')
    expect(text).toBe('[lint.rules]\n"naming/hyphens" = "off"\n')
    expect(await setIn('', 'run.python', 'a"\\\n\u007F')).toBe(
      '[run]\npython = "a\\"\\\\\\n\\u007f"\n',
    )
  })

  it('refuses a value that the file has as a table of its own, and changes nothing', async () => {
    const text = '[lint.rules]\nnaming = "off"\n'
    const file = join(createFolder({ [NAME]: text }), NAME)
    const setting = setConfigValue(file, ['lint', 'rules'], { permissions: 'off' })
    await expect(setting).rejects.toMatchObject({ code: 'config/invalid' })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('refuses a file that is not TOML', async () => {
    await expect(setIn('[run\n', 'run.timeout', '2s')).rejects.toMatchObject({
      code: 'config/invalid',
      message: expect.stringContaining(`${NAME}:1`),
    })
  })

  it('keeps permission bits and leaves no other file', async () => {
    const dir = createFolder({ [NAME]: '' })
    chmodSync(join(dir, NAME), 0o600)
    await setConfigValue(join(dir, NAME), ['top'], true)
    expect(statSync(join(dir, NAME)).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir)).toEqual([NAME])
  })

  it('refuses a symbolic link, whose target a plain write would change', async () => {
    const dir = createFolder({ 'victim.toml': '' })
    symlinkSync('victim.toml', join(dir, NAME))
    await expect(setConfigValue(join(dir, NAME), ['top'], true)).rejects.toMatchObject({
      code: 'file/outside',
    })
    expect(readFileSync(join(dir, 'victim.toml'), 'utf8')).toBe('')
    expect(lstatSync(join(dir, NAME)).isSymbolicLink()).toBe(true)
    // Control: a write without the check changes the target.
    writeFileSync(join(dir, NAME), 'x = 1\n')
    expect(readFileSync(join(dir, 'victim.toml'), 'utf8')).toBe('x = 1\n')
  })

  it('reports a folder in the place of the file', async () => {
    const dir = createFolder()
    mkdirSync(join(dir, NAME))
    await expect(setConfigValue(join(dir, NAME), ['top'], true)).rejects.toMatchObject({
      code: 'config/invalid',
    })
  })
})

describe('unsetConfigValue', () => {
  it.each([
    [
      'removes a line and keeps the others',
      '[run]\n# Time\ntimeout = "1s" # x\nwarm = true\n',
      '[run]\n# Time\nwarm = true\n',
    ],
    [
      'removes a value of several lines',
      '[run]\nwarm = true\ntimeout = """\n1s"""\n[serve]\n',
      '[run]\nwarm = true\n[serve]\n',
    ],
    ['removes a table that it empties', 'top = true\n\n[run]\ntimeout = "1s"\n', 'top = true\n'],
    [
      'keeps the comments of a table',
      '[run]\n# warm = true\ntimeout = "1s"\n',
      '[run]\n# warm = true\n',
    ],
    [
      'removes the first entry of an inline table',
      'run = { timeout = "1s", warm = true }\n',
      'run = { warm = true }\n',
    ],
    [
      'removes the last entry of an inline table',
      'run = { warm = true, timeout = "1s" }\n',
      'run = { warm = true }\n',
    ],
    ['removes the only entry of an inline table', 'run = { timeout = "1s" }\n', 'run = {}\n'],
    ['leaves a file without the value', '[run]\nwarm = true\n', '[run]\nwarm = true\n'],
  ])('%s', async (_title, before, after) => {
    expect(await unsetIn(before, 'run.timeout')).toBe(after)
  })
})

it('any sequence of changes gives the wanted values and keeps every comment', async () => {
  const keys = CONFIG_KEYS.filter(({ type }) => !['rules', 'overrides'].includes(type))
  const change = fc.record({
    key: fc.constantFrom(...keys.map(({ key }) => key)),
    value: fc.option(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()))),
  })
  const start =
    '# one\nrun.warm = true # two\n\n# three\n[serve] # four\n  max_runs = 3\n\nlimits = {}\n'
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const file = join(createFolder({ [NAME]: start }), NAME)
      const values = new Map<string, unknown>()
      for (const { key, value } of changes) {
        if (value === null) await unsetConfigValue(file, key.split('.'))
        else await setConfigValue(file, key.split('.'), value)
        values.set(key, value ?? undefined)
      }
      const text = readFileSync(file, 'utf8')
      const { data } = readToml(file, text)
      for (const [key, value] of values) {
        const found = key
          .split('.')
          .reduce<unknown>(
            (table, name) => (table as Record<string, unknown> | undefined)?.[name],
            data,
          )
        expect(found).toEqual(value)
      }
      // A comment behind a value goes with its value.
      for (const comment of ['# one', '# three', '# four']) expect(text).toContain(comment)
    }),
    { numRuns: 40 },
  )
})
