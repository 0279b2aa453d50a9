import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { ENTRY, PieceReader } from '../../../../src/core/sandbox/executor/archive.ts'
import {
  packFiles,
  TooManyFilesError,
  type PlacedItem,
} from '../../../../src/core/sandbox/executor/pack-files.ts'
import { createFolder } from '../../../helpers/skills.ts'

async function listPacked(
  items: readonly PlacedItem[],
  {
    hidden = [],
    maxBytes = 1e6,
    maxEntries = 100,
  }: { hidden?: string[]; maxBytes?: number; maxEntries?: number } = {},
): Promise<string[]> {
  const archive = packFiles(items, { hidden: new Set(hidden), maxBytes, maxEntries })
  const reader = new PieceReader(Readable.from(archive) as AsyncIterable<Buffer>)
  const found: string[] = []
  for (;;) {
    const { type, path, size } = await reader.readEntryHead()
    if (type === ENTRY.end) return found
    const content = (await reader.readExactly(size)).toString('utf8')
    found.push(`${type} ${path.toString('utf8')}${content === '' ? '' : ` ${content}`}`)
  }
}

it('folders come before their content, links stay links, and credentials are left out', async () => {
  const dir = createFolder({ 'a.txt': 'a', 'sub/b.txt': 'b', '.netrc': 'secret' })
  symlinkSync('/etc/passwd', join(dir, 'link'))
  const items = [{ target: '/workspace' }, { target: '/repo/x', source: dir }]
  expect((await listPacked(items, { hidden: ['/repo/x/.netrc'] })).sort()).toEqual([
    'd repo',
    'd repo/x',
    'd repo/x/sub',
    'd workspace',
    'f repo/x/a.txt a',
    'f repo/x/sub/b.txt b',
    'l repo/x/link /etc/passwd',
  ])
  // The control: without the list, the file is copied.
  expect(await listPacked(items)).toContain('f repo/x/.netrc secret')
})

it('a folder beyond the limit of bytes or of entries is refused', async () => {
  const dir = createFolder({ a: 'x'.repeat(100), b: 'x' })
  const items = [{ target: '/workspace', source: dir, isCounted: true }]
  await expect(listPacked(items, { maxBytes: 50 })).rejects.toBeInstanceOf(TooManyFilesError)
  await expect(listPacked(items, { maxEntries: 2 })).rejects.toBeInstanceOf(TooManyFilesError)
  expect(await listPacked(items)).toHaveLength(3)
})

it('a name that is not text is copied as it is', async () => {
  const dir = createFolder()
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0x41])]), 'x')
  const archive = packFiles([{ target: '/w', source: dir }], {
    hidden: new Set(),
    maxBytes: 100,
    maxEntries: 10,
  })
  const chunks: Buffer[] = []
  for await (const chunk of archive) chunks.push(chunk)
  expect(Buffer.concat(chunks).includes(Buffer.from([0x77, 0x2f, 0xff, 0x41]))).toBe(true)
})
