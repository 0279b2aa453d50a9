import { DOWNLOAD_LIMITS } from '../../../../src/core/packing/read/archive-error.ts'
import type { Attack } from './attack.ts'
import { buildPax, buildTarGz, TAR_END, type TarPart } from './build-tar.ts'

const LONG = `${'folder/'.repeat(15)}file.md`

/** One more entry, which is wrong, and the same without the fault. */
function entry(bad: Partial<TarPart>, good: Partial<TarPart> = {}) {
  return {
    hostile: buildTarGz([{ path: 'a.md', data: 'x', ...bad }]),
    control: buildTarGz([{ path: 'a.md', data: 'x', ...good }]),
  }
}

function entries(bad: readonly TarPart[], good: readonly TarPart[]) {
  return { hostile: buildTarGz(bad), control: buildTarGz(good) }
}

const file = (path: string, data = 'x'): TarPart => ({ path, data })
const setByte = (at: number, value: number) => (block: Buffer) => void block.writeUInt8(value, at)

export const TAR_ATTACKS: readonly Attack[] = [
  { name: 'a path that leads out', ...entry({ path: '../evil' }), says: 'leads out with ".."' },
  { name: 'a path that leads out later', ...entry({ path: 'a/../../b' }), says: 'leads out with' },
  { name: 'an absolute path', ...entry({ path: '/etc/passwd' }), says: 'is absolute' },
  { name: 'a drive', ...entry({ path: 'C:/evil' }), says: 'that Windows does not allow' },
  { name: 'backslashes', ...entry({ path: 'a\\..\\b' }), says: 'that Windows does not allow' },
  { name: 'an empty segment', ...entry({ path: 'a//b' }), says: 'has an empty or "." segment' },
  { name: 'a stream of NTFS', ...entry({ path: 'a.md:b' }), says: 'that Windows does not allow' },
  {
    name: 'a symbolic link',
    ...entry({ type: '2', link: '/etc', data: '' }),
    says: 'symbolic link',
  },
  {
    name: 'a hard link',
    ...entry({ type: '1', link: '/etc/passwd', data: '' }),
    says: 'hard link',
  },
  { name: 'a character device', ...entry({ type: '3', data: '' }), says: 'is a device' },
  { name: 'a block device', ...entry({ type: '4', data: '' }), says: 'is a device' },
  { name: 'a named pipe', ...entry({ type: '6', data: '' }), says: 'is a named pipe' },
  { name: 'a contiguous file', ...entry({ type: '7' }), says: 'is a contiguous file' },
  { name: 'a sparse file', ...entry({ type: 'S' }), says: 'is a sparse file' },
  {
    name: 'a long name of GNU',
    ...entry({ type: 'L', path: '././@LongLink' }),
    says: 'is a long name',
  },
  {
    name: 'a long link of GNU',
    ...entry({ type: 'K', path: '././@LongLink' }),
    says: 'is a long link',
  },
  { name: 'a label of a volume', ...entry({ type: 'V' }), says: 'is a label of a volume' },
  { name: 'a part of a volume', ...entry({ type: 'M' }), says: 'continues on another volume' },
  { name: 'an unknown type', ...entry({ type: 'Z' }), says: 'is not a regular file' },
  {
    name: 'a path that is there twice',
    ...entries([file('SKILL.md', 'evil')], [file('B.md')]),
    says: 'is there twice',
  },
  {
    name: 'names that differ in case',
    ...entries([file('skill.md')], [file('skills.md')]),
    says: 'are one file where case',
  },
  {
    name: 'folders that differ in case',
    ...entries([file('A/b'), file('a/c')], [file('A/b'), file('A/c')]),
    says: 'are one file',
  },
  {
    name: 'names that macOS takes for one',
    ...entries([file('ﬁ.md'), file('fi.md')], [file('fi.md')]),
    says: 'are one file',
  },
  {
    name: 'a name in form NFD',
    ...entry({ path: 'cafe\u0301.md' }, { path: 'caf\u00e9.md' }),
    says: 'is not in Unicode form NFC',
  },
  {
    name: 'a file below a file',
    ...entries([file('a'), file('a/b')], [file('a'), file('b/b')]),
    says: 'is below "a", which is a file',
  },
  {
    name: 'a file in place of a folder',
    ...entries([file('a/b'), file('a')], [file('a/b'), file('c')]),
    says: 'is a file and a folder',
  },
  { name: 'set-user-id', ...entry({ mode: 0o4755 }, { mode: 0o755 }), says: 'has set-user-id' },
  { name: 'a sticky bit', ...entry({ mode: 0o1644 }), says: 'or sticky bits' },
  {
    name: 'a folder with content',
    ...entry({ type: '5', path: 'a/' }),
    says: 'is a folder with content',
  },
  {
    name: 'a folder of Git',
    ...entry({ path: '.git/hooks/pre-commit' }),
    says: 'of a version control system',
  },
  {
    name: 'a folder of Git in capitals',
    ...entry({ path: 'a/.GIT/config' }),
    says: 'of a version control system',
  },
  {
    name: 'a folder of Git under its short name',
    ...entry({ path: 'GIT~1/config' }),
    says: 'of a version control system',
  },
  {
    name: 'a device of Windows',
    ...entry({ path: 'docs/aux.md' }, { path: 'docs/auxi.md' }),
    says: 'is reserved on Windows',
  },
  {
    name: 'a name with a dot at its end',
    ...entry({ path: 'SKILL.md.' }),
    says: 'ends with a dot or space',
  },
  { name: 'a line feed in a name', ...entry({ path: 'a\nb' }), says: 'has a control character' },
  {
    name: 'an escape sequence in a name',
    ...entry({ path: 'a\u001b[2Kb' }),
    says: 'has a control character',
  },
  {
    name: 'a direction mark in a name',
    ...entry({ path: 'a\u202edm.exe' }),
    says: 'that is not visible',
  },
  {
    name: 'a zero-width character in a name',
    ...entry({ path: 'SK\u200bILL.md' }),
    says: 'that is not visible',
  },
  {
    name: 'a name that is not UTF-8',
    ...entry({ path: Buffer.of(0x61, 0xff) }),
    says: 'that is not UTF-8',
  },
  {
    name: 'a name after a NUL',
    ...entry({ path: 'a.md\0/../../evil' }),
    says: 'has a name with a NUL',
  },
  {
    name: 'a path of 201 bytes',
    ...entries(
      [buildPax([`path=${'x'.repeat(201)}`]), file('x'.repeat(100))],
      [buildPax([`path=${'x'.repeat(200)}`]), file('x'.repeat(100))],
    ),
    says: 'is longer than 200 bytes',
  },
  {
    name: 'a wrong checksum',
    ...entry({ spoil: setByte(0, 98) }),
    says: 'does not match its checksum',
  },
  { name: 'a size in base 256', ...entry({ edit: setByte(124, 0x80) }), says: 'is not octal' },
  {
    name: 'a negative mode',
    ...entry({ edit: (block) => void block.write('-000644', 100) }),
    says: 'is not octal',
  },
  { name: 'a size beyond the end', ...entry({ size: 5000 }), says: 'is cut' },
  {
    name: 'a size beyond the limit',
    ...entry({ size: 0o77777777777 }),
    says: 'more than 25 MiB unpacked',
  },
  { name: 'data in the padding', ...entry({ padding: 1 }), says: 'has data in its padding' },
  {
    name: 'a header of version 7',
    ...entry({ edit: (block) => void block.fill(0, 257, 265) }),
    says: 'is not of the format ustar',
  },
  {
    name: 'no end',
    hostile: buildTarGz([], Buffer.alloc(0)),
    control: buildTarGz([]),
    says: 'its end is cut',
  },
  {
    name: 'half an end',
    hostile: buildTarGz([], Buffer.alloc(512)),
    control: buildTarGz([]),
    says: 'its end is cut',
  },
  {
    name: 'files after the end',
    hostile: buildTarGz([], Buffer.concat([TAR_END, Buffer.alloc(512, 1)])),
    control: buildTarGz([], Buffer.alloc(10_240)),
    says: 'has data after its end',
  },
  {
    name: 'a PAX path that replaces another',
    ...entries([buildPax(['path=evil.md']), file('a.md')], [buildPax(['path=a.md']), file('a.md')]),
    says: 'replaces the path "a.md"',
  },
  {
    name: 'a long PAX path that replaces another',
    ...entries(
      [buildPax([`path=${LONG}`]), file('a.md')],
      [buildPax([`path=${LONG}`]), file(LONG.slice(0, 100))],
    ),
    says: 'replaces the path "a.md"',
  },
  {
    name: 'a PAX path that leads out',
    ...entries(
      [buildPax([`path=../${LONG}`]), file(`../${LONG}`.slice(0, 100))],
      [buildPax([`path=${LONG}`]), file(LONG.slice(0, 100))],
    ),
    says: 'leads out with ".."',
  },
  {
    name: 'a PAX size',
    ...entries([buildPax(['size=9']), file('a.md')], [buildPax(['mtime=9']), file('a.md')]),
    says: 'sets "size"',
  },
  {
    name: 'a PAX link',
    ...entries([buildPax(['linkpath=/etc']), file('a.md')], [buildPax(['uname=me']), file('a.md')]),
    says: 'sets "linkpath"',
  },
  {
    name: 'a sparse file of PAX',
    ...entries([buildPax(['GNU.sparse.name=evil']), file('a.md')], [file('a.md')]),
    says: 'sets "GNU.sparse.name"',
  },
  {
    name: 'a PAX key that is there twice',
    ...entries(
      [buildPax(['path=a.md', 'path=b.md']), file('a.md')],
      [buildPax(['path=a.md']), file('a.md')],
    ),
    says: 'sets "path" twice',
  },
  {
    name: 'a damaged PAX header',
    ...entries([{ path: 'P', type: 'x', data: '99 path=a\n' }, file('a.md')], [file('a.md')]),
    says: 'a PAX header is damaged',
  },
  {
    name: 'one path for all files',
    ...entries(
      [buildPax(['path=SKILL.md'], 'g'), file('a.md')],
      [buildPax(['comment=1'], 'g'), file('a.md')],
    ),
    says: 'one path is set for all files',
  },
  {
    name: 'two PAX headers',
    ...entries([buildPax(['path=a.md']), buildPax(['path=a.md']), file('a.md')], [file('a.md')]),
    says: 'two PAX headers precede',
  },
  {
    name: 'a PAX header without a file',
    ...entries([buildPax(['path=a.md'])], []),
    says: 'a PAX header has no file',
  },
  {
    name: 'too many files',
    ...entries(listFiles(DOWNLOAD_LIMITS.files), listFiles(DOWNLOAD_LIMITS.files - 1)),
    says: 'has more than 1000 files and folders',
  },
]

function listFiles(count: number): TarPart[] {
  return Array.from({ length: count }, (_, at) => file(`${at}.md`))
}
