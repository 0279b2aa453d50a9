import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readArchive } from '../../../../src/core/packing/read/read-archive.ts'
import { SkillsError } from '../../../../src/errors.ts'
import { createFolder } from '../../../helpers/skills.ts'
import type { Attack } from './attack.ts'
import { buildPax, buildTarGz } from './build-tar.ts'
import { buildZip } from './build-zip.ts'
import { GZIP_ATTACKS } from './gzip-attacks.ts'
import { TAR_ATTACKS } from './tar-attacks.ts'
import { ZIP_ATTACKS } from './zip-attacks.ts'

const KINDS: Record<string, readonly Attack[]> = {
  tar: TAR_ATTACKS,
  gzip: GZIP_ATTACKS,
  zip: ZIP_ATTACKS,
}

describe.each(Object.entries(KINDS))('a hostile archive of %s', (_kind, attacks) => {
  it.each(attacks)('is refused: $name', { timeout: 60_000 }, async ({ hostile, says }) => {
    const error: unknown = await readArchive(hostile).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SkillsError)
    const { code, message } = error as SkillsError
    expect(message).toContain(says)
    expect(message.startsWith('The archive is refused: ')).toBe(true)
    expect(message).not.toContain('\n')
    expect(code).toMatch(/^archive\/(?:invalid|too-large)$/)
  })

  it.each(attacks)('is read without the fault: $name', { timeout: 60_000 }, async (attack) => {
    const files = await readArchive(attack.control)
    expect(files.map(({ path }) => path)).toContain('SKILL.md')
  })
})

it('there are at least 60 hostile archives', () => {
  expect(Object.values(KINDS).flat().length).toBeGreaterThan(60)
})

it('every cut of an archive is refused', async () => {
  for (const whole of [buildTarGz([]), buildZip([])]) {
    for (let length = 0; length < whole.length; length++) {
      await expect(readArchive(whole.subarray(0, length))).rejects.toBeInstanceOf(SkillsError)
    }
  }
})

it('every changed byte is refused or changes nothing', { timeout: 60_000 }, async () => {
  for (const whole of [buildTarGz([]), buildZip([])]) {
    const [expected] = await readArchive(whole)
    let refused = 0
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x55
      const files = await readArchive(changed).catch((error: unknown) => {
        expect(error).toBeInstanceOf(SkillsError)
        refused += 1
      })
      if (files) expect(files.map(({ bytes }) => bytes)).toEqual([expected?.bytes])
    }
    expect(refused).toBeGreaterThan(whole.length / 2)
  }
})

/** Unpacks as many scripts do: without the filters of Python. */
const UNPACK = `
import os, sys, tarfile, zipfile
archive, folder = sys.argv[1:]
os.makedirs(folder)
if archive.endswith('.zip'):
    for info in zipfile.ZipFile(archive).infolist():
        target = os.path.join(folder, info.filename)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if (info.external_attr >> 16) & 0o170000 == 0o120000:
            os.symlink(zipfile.ZipFile(archive).read(info), target)
        else:
            open(target, 'wb').write(zipfile.ZipFile(archive).read(info))
else:
    tarfile.open(archive).extractall(folder, **{'filter': 'fully_trusted'} if hasattr(tarfile, 'fully_trusted_filter') else {})
`

/** What a naive program does with an archive that the reader refuses. */
const HARM: readonly {
  name: string
  file: string
  archive: Buffer
  harms: (at: string) => boolean
}[] = [
  {
    name: 'a path of tar leads out',
    file: 'a.tar.gz',
    archive: buildTarGz([{ path: '../evil', data: 'x' }]),
    harms: (at) => existsSync(join(at, 'evil')),
  },
  {
    name: 'a link of tar leads out, and the next file follows it',
    file: 'a.tar.gz',
    archive: buildTarGz([
      { path: 'dir', type: '2', link: '..' },
      { path: 'dir/evil', data: 'x' },
    ]),
    harms: (at) => existsSync(join(at, 'evil')),
  },
  {
    name: 'a second file of tar replaces SKILL.md',
    file: 'a.tar.gz',
    archive: buildTarGz([{ path: 'SKILL.md', data: 'evil' }]),
    harms: (at) => readFileSync(join(at, 'to/SKILL.md'), 'utf8') === 'evil',
  },
  {
    name: 'a path of PAX replaces the one in the header',
    file: 'a.tar.gz',
    archive: buildTarGz([buildPax(['path=evil.md']), { path: 'a.md', data: 'x' }]),
    harms: (at) => existsSync(join(at, 'to/evil.md')) && !existsSync(join(at, 'to/a.md')),
  },
  {
    name: 'a hard link shares a file of the user',
    file: 'a.tar.gz',
    archive: buildTarGz([
      { path: 'link', type: '1', link: '../private' },
      { path: 'link', data: 'evil' },
    ]),
    harms: (at) => readFileSync(join(at, 'private'), 'utf8') === 'evil',
  },
  {
    name: 'a path of zip leads out',
    file: 'a.zip',
    archive: buildZip([{ path: '../evil', data: 'x' }]),
    harms: (at) => existsSync(join(at, 'evil')),
  },
  {
    name: 'a link of zip leads out, and the next file follows it',
    file: 'a.zip',
    archive: buildZip([
      { path: 'dir', data: '..', mode: 0o120777 },
      { path: 'dir/evil', data: 'x' },
    ]),
    harms: (at) => existsSync(join(at, 'evil')),
  },
  {
    name: 'a second file of zip replaces SKILL.md',
    file: 'a.zip',
    archive: buildZip([{ path: 'SKILL.md', data: 'evil' }]),
    harms: (at) => readFileSync(join(at, 'to/SKILL.md'), 'utf8') === 'evil',
  },
  {
    name: 'a small archive fills the disk',
    file: 'a.zip',
    archive: buildZip([{ path: 'zeros', data: Buffer.alloc(20 * 1024 ** 2) }]),
    harms: (at) => readFileSync(join(at, 'to/zeros')).length === 20 * 1024 ** 2,
  },
]

it.each(HARM)('control: without the reader $name', { timeout: 60_000 }, async (attack) => {
  const at = createFolder({ private: 'of the user' })
  const archive = join(at, attack.file)
  writeFileSync(archive, attack.archive)
  execFileSync('python3', ['-c', UNPACK, archive, join(at, 'to')])
  expect(attack.harms(at)).toBe(true)
  await expect(readArchive(attack.archive)).rejects.toThrow('The archive is refused')
})
