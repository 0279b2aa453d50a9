import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import {
  encodeEntryHead,
  ENTRY,
  type EntryType,
} from '../../../../src/core/sandbox/executor/archive.ts'
import {
  receiveFiles,
  ReturnLimitError,
} from '../../../../src/core/sandbox/executor/receive-files.ts'
import { createFolder } from '../../../helpers/skills.ts'

type Entry = [type: EntryType, path: string, content?: string, mode?: number]

function pack(entries: readonly Entry[], isWhole = true): Buffer {
  const all = entries.map(([type, path, content = '', mode = 0o644]) => {
    const bytes = Buffer.from(content)
    const head = encodeEntryHead({
      type,
      mode,
      path: Buffer.from(path, 'latin1'),
      size: bytes.length,
    })
    return Buffer.concat([head, bytes])
  })
  return Buffer.concat([...all, ...(isWhole ? [encodeEntryHead({ type: ENTRY.end })] : [])])
}

async function receive(workspace: string, archive: Buffer, chunk = 7): Promise<void> {
  const chunks: Buffer[] = []
  for (let at = 0; at < archive.length; at += chunk) chunks.push(archive.subarray(at, at + chunk))
  const folders = new Map([['/workspace', workspace]])
  const limits = { maxBytes: 1000, maxEntries: 5 }
  await receiveFiles(Readable.from(chunks), { folders, ...limits })
}

function createPlaces() {
  const top = createFolder({ 'victim.txt': 'of the host', 'victim/inside.txt': 'of the host' })
  const workspace = join(top, 'workspace')
  mkdirSync(workspace)
  return { top, workspace, victim: join(top, 'victim.txt') }
}

it('files, folders and links are created, replaced and removed', async () => {
  const { workspace } = createPlaces()
  writeFileSync(join(workspace, 'old'), 'old')
  mkdirSync(join(workspace, 'was-folder'))
  await receive(
    workspace,
    pack([
      ['d', 'workspace/out', '', 0o755],
      ['f', 'workspace/out/a.sh', 'text', 0o755],
      ['l', 'workspace/link', 'out/a.sh'],
      ['f', 'workspace/was-folder', 'file'],
      ['r', 'workspace/old'],
    ]),
  )
  expect(readFileSync(join(workspace, 'out/a.sh'), 'utf8')).toBe('text')
  expect(statSync(join(workspace, 'out/a.sh')).mode & 0o777).toBe(0o755)
  expect(readlinkSync(join(workspace, 'link'))).toBe('out/a.sh')
  expect(readFileSync(join(workspace, 'was-folder'), 'utf8')).toBe('file')
  expect(existsSync(join(workspace, 'old'))).toBe(false)
})

it('a file that replaces one keeps no rights of a program that changes the user', async () => {
  const { workspace } = createPlaces()
  await receive(workspace, pack([['f', 'workspace/a', 'x', 0o6777]]))
  expect(lstatSync(join(workspace, 'a')).mode & 0o7000).toBe(0)
})

const ESCAPES = [
  'workspace/../victim.txt',
  'workspace/a/../../victim.txt',
  'workspace//../victim.txt',
  '../victim.txt',
  '/victim.txt',
  'victim.txt',
  'workspacex/victim.txt',
  'workspace/',
  'workspace/.',
  'workspace/a\0b',
  '',
]

it.each(ESCAPES)('the path %j of an entry is refused', async (path) => {
  const { workspace, victim } = createPlaces()
  for (const type of ['f', 'd', 'l', 'r'] as const) {
    await expect(receive(workspace, pack([[type, path, 'x']]))).rejects.toThrow(
      'a returned file is outside of the folders of the run',
    )
  }
  expect(readFileSync(victim, 'utf8')).toBe('of the host')
})

it('the control: these paths lead out of the folder if they are only joined', () => {
  const { workspace, victim } = createPlaces()
  const escaping = ESCAPES.filter(
    (path) => join(workspace, path.replace(/^workspace/, '')) === victim,
  )
  expect(escaping.length).toBeGreaterThanOrEqual(3)
})

it('an entry below a link replaces the link, and does not follow it', async () => {
  const { top, workspace } = createPlaces()
  symlinkSync(join(top, 'victim'), join(workspace, 'sub'))
  // The control: the same path reaches the file of the host.
  expect(readFileSync(join(workspace, 'sub/inside.txt'), 'utf8')).toBe('of the host')
  await receive(workspace, pack([['f', 'workspace/sub/inside.txt', 'changed']]))
  expect(readFileSync(join(top, 'victim/inside.txt'), 'utf8')).toBe('of the host')
  expect(lstatSync(join(workspace, 'sub')).isDirectory()).toBe(true)
})

it('a link that the same archive creates is not followed by a later entry', async () => {
  const { top, workspace, victim } = createPlaces()
  await receive(
    workspace,
    pack([
      ['l', 'workspace/sub', top],
      ['f', 'workspace/sub/victim.txt', 'changed'],
      ['l', 'workspace/file', victim],
      ['f', 'workspace/file', 'changed'],
    ]),
  )
  expect(readFileSync(victim, 'utf8')).toBe('of the host')
})

it('a removal below a link removes nothing of the host', async () => {
  const { top, workspace } = createPlaces()
  symlinkSync(join(top, 'victim'), join(workspace, 'sub'))
  await receive(workspace, pack([['r', 'workspace/sub/inside.txt']]))
  expect(readFileSync(join(top, 'victim/inside.txt'), 'utf8')).toBe('of the host')
  await receive(workspace, pack([['r', 'workspace/sub']]))
  expect(existsSync(join(workspace, 'sub'))).toBe(false)
  expect(existsSync(join(top, 'victim/inside.txt'))).toBe(true)
})

it('a folder whose place is a link does not change the mode of its target', async () => {
  const { top, workspace } = createPlaces()
  symlinkSync(join(top, 'victim'), join(workspace, 'sub'))
  const before = statSync(join(top, 'victim')).mode
  await receive(workspace, pack([['d', 'workspace/sub', '', 0o777]]))
  expect(statSync(join(top, 'victim')).mode).toBe(before)
})

it.each<[string, Entry[]]>([
  ['more bytes', [['f', 'workspace/a', 'x'.repeat(1001)]]],
  ['more files', Array.from({ length: 6 }, (_, at): Entry => ['d', `workspace/${at}`])],
  ['the mark of a guest that found too much', [['x', '']]],
])('%s than the limit are refused', async (_, entries) => {
  const { workspace } = createPlaces()
  await expect(receive(workspace, pack(entries))).rejects.toBeInstanceOf(ReturnLimitError)
})

it('a file that claims a size beyond the limit is refused before it is read', async () => {
  const { workspace } = createPlaces()
  const path = Buffer.from('workspace/a')
  const head = encodeEntryHead({ type: ENTRY.file, path, size: 2 ** 50 })
  await expect(receive(workspace, head)).rejects.toBeInstanceOf(ReturnLimitError)
})

it('an archive that is cut, or none at all, is an error and leaves no draft', async () => {
  const { workspace } = createPlaces()
  const whole = pack([['f', 'workspace/a', 'content']])
  await expect(receive(workspace, whole.subarray(0, whole.length - 18))).rejects.toThrow('are cut')
  await expect(receive(workspace, Buffer.from('no archive, but text'))).rejects.toThrow(
    'are not an archive',
  )
  expect(statSync(workspace).isDirectory()).toBe(true)
  expect(existsSync(join(workspace, 'a'))).toBe(false)
})
