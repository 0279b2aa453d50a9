import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { BIN } from '../../helpers/built.ts'

const ID = /^blob:[0-9a-f]{32}\n$/

interface Shown {
  blob_id: string
  kind: string
  size_bytes: number
  created_at: string
  expires_at: string
}

/** A home folder with stored blobs, shared by several calls. */
function home() {
  const cwd = createFolder()
  const env = { HOME: createFolder() }
  const call = async (argv: string[], more: { stdin?: string; tty?: boolean } = {}) =>
    await runSkills(['blobs', ...argv], { cwd, env, trusts: true, ...more })
  const put = async (content: string | Buffer, name = 'file.txt') => {
    writeFileSync(join(cwd, name), content)
    return (await call(['put', name])).stdout.trim()
  }
  return { cwd, env, call, put }
}

describe('skills blobs put', () => {
  it('stores a file, prints its id on stdout and details on stderr', async () => {
    const { cwd, call } = home()
    writeFileSync(join(cwd, 'rows.csv'), 'a,b\n')
    const { code, stdout, stderr } = await call(['put', 'rows.csv'])
    expect(code).toBe(0)
    expect(stdout).toMatch(ID)
    expect(stderr).toBe('4 bytes, text/csv\n')
    expect((await call(['get', stdout.trim()])).stdout).toBe('a,b\n')
  })

  it('stores piped input with the given type', async () => {
    const { call } = home()
    const { json } = await call(['put', '-', '--kind', 'text/x-own; v=1', '--json'], { stdin: 'é' })
    const blob = json()['blob'] as Shown
    expect(json()['schema']).toBe('skills.blob/v1')
    expect(blob).toMatchObject({ kind: 'text/x-own; v=1', size_bytes: 2 })
    const days = (Date.parse(blob.expires_at) - Date.parse(blob.created_at)) / 86_400_000
    expect(days).toBe(7)
  })

  it.each([
    [['put', 'missing.txt'], 'Cannot read the file "missing.txt"', 3],
    [['put', '.'], '"." is a folder, expected a file', 3],
    [['put'], 'Missing <file>', 2],
    [['put', 'x', '--kind', 'csv'], 'Expected a MIME type for --kind, got "csv"', 2],
  ])('%j is rejected', async (argv, message, code) => {
    const ran = await home().call(argv)
    expect(ran.stderr).toContain(message)
    expect(ran.code).toBe(code)
    expect(ran.stdout).toBe('')
  })

  it('names the setting that limits a large file', async () => {
    const { cwd, call } = home()
    writeFileSync(join(cwd, 'skills.config.toml'), '[store]\nquota = "10B"\n')
    writeFileSync(join(cwd, 'large'), 'x'.repeat(11))
    const ran = await call(['put', 'large'])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('store.quota')
    expect((await call(['gc', '--json'])).json()).toMatchObject({ kept: { count: 0 } })
  })
})

describe('skills blobs get', () => {
  it('writes unchanged bytes to a pipe and to a file', async () => {
    const { cwd, env, call, put } = home()
    const bytes = randomBytes(300_000)
    const id = await put(bytes, 'bytes.bin')
    const piped = spawnSync(process.execPath, [BIN, 'blobs', 'get', id], {
      cwd,
      env: { ...process.env, ...env },
      maxBuffer: 1e9,
    })
    expect(piped.stdout.equals(bytes)).toBe(true)
    const saved = await call(['get', id, '--out', 'copy.bin'])
    expect(saved).toMatchObject({ code: 0, stdout: '' })
    expect(readFileSync(join(cwd, 'copy.bin')).equals(bytes)).toBe(true)
  })

  it('overwrites a file only with --force', async () => {
    const { cwd, call, put } = home()
    const id = await put('new')
    writeFileSync(join(cwd, 'mine'), 'mine')
    const refused = await call(['get', id, '--out', 'mine'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--force')
    expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe('mine')
    expect((await call(['get', id, '--out', 'mine', '--force', '--json'])).json()).toMatchObject({
      saved: 'mine',
    })
    expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe('new')
    expect((await call(['get', id, '--out', 'no/where'])).code).toBe(3)
    const { code, stdout } = await call(['get', id, '--out', '-'])
    expect(code).toBe(0)
    expect(stdout).not.toBe('')
    expect(existsSync(join(cwd, '-'))).toBe(false)
  })

  it('accepts the beginning of an id, with or without prefix', async () => {
    const { call, put } = home()
    const id = await put('x')
    for (const word of [id.slice(0, 13), id.slice(5, 12), id.slice(5)]) {
      expect((await call(['get', word])).stdout).toBe('x')
    }
    const short = await call(['get', id.slice(5, 7)])
    expect(short.code).toBe(2)
    expect(short.stderr).toContain('at least 4 characters')
  })

  it('suggests a similar id', async () => {
    const { call, put } = home()
    const id = await put('x')
    const misspelt = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    const { code, stderr } = await call(['get', misspelt])
    expect(code).toBe(3)
    expect(stderr).toContain(`Did you mean "${id}"?`)
    expect((await call(['get', '../../etc/passwd'])).code).toBe(3)
  })

  it('writes no control characters to a terminal', async () => {
    const { call, put } = home()
    const text = await put('plain\n')
    expect((await call(['get', text], { tty: true })).stdout).toBe('plain\n')
    const risky = await put('\u001b]0;owned\u0007', 'risky.txt')
    const refused = await call(['get', risky], { tty: true })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('--out')
    expect((await call(['get', risky])).stdout).toBe('\u001b]0;owned\u0007')
  })

  it('includes small content in the JSON document', async () => {
    const { call, put } = home()
    expect((await call(['get', await put('é'), '--json'])).json()).toMatchObject({ content: 'é' })
    const bytes = await put(Buffer.from([255, 0]), 'b.bin')
    const shown = (await call(['get', bytes, '--json'])).json()
    expect(shown).toMatchObject({ content: '/wA=', encoding: 'base64' })
    const large = await put('x'.repeat(1024 ** 2 + 1))
    const refused = await call(['get', large, '--json'])
    expect(refused.code).toBe(3)
    expect(JSON.stringify(refused.json())).toContain('--out')
  })
})

describe('skills blobs ls, rm and gc', () => {
  it('list the newest first, as a table, as ids and as JSON', async () => {
    const { call, put } = home()
    expect((await call(['ls'])).stderr).toContain('No blobs are stored')
    const ids = [await put('one', '1.csv'), await put('two', '2.csv'), await put('three', '3.csv')]
    const newest = ids.toReversed()
    expect((await call(['ls', '--ids'])).stdout).toBe(`${newest.join('\n')}\n`)
    const table = (await call(['ls', '--limit', '2'])).stdout.trimEnd().split('\n')
    expect(table).toHaveLength(2)
    expect(table[0]).toMatch(new RegExp(`^${newest[0]} +5 bytes +.+Z +until .+Z +text/csv$`))
    const { blobs, total } = (await call(['ls', '--json', '--limit', '1'])).json()
    expect((blobs as Shown[]).map((blob) => blob.blob_id)).toEqual([newest[0]])
    expect(total).toBe(3)
    expect((await call(['ls', '--limit', 'many'])).code).toBe(2)
  })

  it('remove several, and none if one is unknown', async () => {
    const { call, put } = home()
    const [first, second] = [await put('1'), await put('2')]
    expect((await call(['rm', first, 'blob:ffff0000'])).code).toBe(3)
    expect((await call(['ls', '--json'])).json()['total']).toBe(2)
    const removed = (await call(['rm', first, second.slice(5), first, '--json'])).json()
    expect(removed).toMatchObject({ removed: [first, second] })
    expect((await call(['ls', '--json'])).json()['total']).toBe(0)
  })

  it('collect expired blobs and report them', async () => {
    const { cwd, call, put } = home()
    const id = await put('12345')
    writeFileSync(join(cwd, 'skills.config.toml'), '[store]\nttl = "1ms"\n')
    const would = await call(['gc', '--dry-run'])
    expect(would.stdout).toBe('Would free 5 bytes: 1 expired blob, 0 leftovers\n')
    const done = (await call(['gc', '--json'])).json()
    expect(done).toMatchObject({ dry_run: false, expired: [id], leftovers: 0, bytes_freed: 5 })
    expect((await call(['gc'])).stdout).toBe('Freed 0 bytes: 0 expired blobs, 0 leftovers\n')
  })
})
