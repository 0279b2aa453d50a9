import { deflateRawSync } from 'node:zlib'
import { DOWNLOAD_LIMITS } from '../../../../src/core/packing/read/archive-error.ts'
import type { Attack } from './attack.ts'
import { buildZip, type ZipPart } from './build-zip.ts'

/** One more entry, which is wrong, and the same without the fault. */
function entry(bad: Partial<ZipPart>, good: Partial<ZipPart> = {}) {
  return {
    hostile: buildZip([{ path: 'a.md', data: 'x', ...bad }]),
    control: buildZip([{ path: 'a.md', data: 'x', ...good }]),
  }
}

function whole(options: Parameters<typeof buildZip>[1], good: Parameters<typeof buildZip>[1] = {}) {
  return { hostile: buildZip([], options), control: buildZip([], good) }
}

const file = (path: string, data = 'x'): ZipPart => ({ path, data })
const set16 = (at: number, value: number) => (header: Buffer) =>
  void header.writeUInt16LE(value, at)
const set32 = (at: number, value: number) => (header: Buffer) =>
  void header.writeUInt32LE(value, at)
const MAX32 = 0xffffffff

/** Sets a field of both headers; the position is the one of the local header. */
function both(at: number, value: number, bytes: 16 | 32 = 16): Partial<ZipPart> {
  const set = bytes === 16 ? set16 : set32
  return { editLocal: set(at, value), editCentral: set(at + 2, value) }
}

function extra(id: number, data = Buffer.alloc(8)): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(id, 0)
  head.writeUInt16LE(data.length, 2)
  return Buffer.concat([head, data])
}

const NOISE = Buffer.from('hidden')
const END = Buffer.concat([Buffer.from([0x50, 0x4b, 5, 6]), Buffer.alloc(18)])
const LOCATOR = Buffer.concat([Buffer.from([0x50, 0x4b, 6, 7]), Buffer.alloc(16)])
const PACKED = deflateRawSync('x')
/** The descriptor of `x`, and one with another checksum. */
const DESCRIPTOR = Buffer.from([
  0x50,
  0x4b,
  7,
  8,
  0x83,
  0x16,
  0xdc,
  0x8c,
  PACKED.length,
  0,
  0,
  0,
  1,
  0,
  0,
  0,
])
const WRONG_DESCRIPTOR = Buffer.concat([Buffer.from([0x50, 0x4b, 7, 8, 1]), DESCRIPTOR.subarray(5)])

export const ZIP_ATTACKS: readonly Attack[] = [
  { name: 'a path that leads out', ...entry({ path: '../evil' }), says: 'leads out with ".."' },
  { name: 'an absolute path', ...entry({ path: '/etc/passwd' }), says: 'is absolute' },
  { name: 'backslashes', ...entry({ path: '..\\evil' }), says: 'that Windows does not allow' },
  { name: 'a NUL in a name', ...entry({ path: 'a.md\0.png' }), says: 'has a control character' },
  {
    name: 'a symbolic link',
    ...entry({ mode: 0o120777, data: '/etc' }),
    says: 'is a symbolic link',
  },
  { name: 'a device', ...entry({ mode: 0o020644 }), says: 'is not a regular file' },
  { name: 'a named pipe', ...entry({ mode: 0o010644 }), says: 'is not a regular file' },
  {
    name: 'a file that is marked as a folder',
    ...entry({ mode: 0o040755 }),
    says: 'is not a regular file',
  },
  {
    name: 'a folder with content',
    ...entry({ path: 'a/', mode: 0o040755 }, { path: 'a/', mode: 0o040755, data: '' }),
    says: 'is a folder with content',
  },
  {
    name: 'set-user-id',
    ...entry({ mode: 0o104755 }, { mode: 0o100755 }),
    says: 'has set-user-id',
  },
  {
    name: 'a path that is there twice',
    hostile: buildZip([file('SKILL.md', 'evil')]),
    control: buildZip([file('B.md')]),
    says: 'is there twice',
  },
  {
    name: 'names that differ in case',
    hostile: buildZip([file('Skill.md')]),
    control: buildZip([file('Skills.md')]),
    says: 'are one file',
  },
  {
    name: 'a name that is not marked as UTF-8',
    ...entry({ path: 'ä', ...both(6, 0) }, { path: 'ä' }),
    says: 'is not marked as UTF-8',
  },
  {
    name: 'a name that is not UTF-8',
    ...entry({ path: Buffer.of(0xff) }),
    says: 'is not marked as UTF-8',
  },
  {
    name: 'a second name in an extra field',
    ...entry({ extra: extra(0x7075) }, { extra: extra(0x5455) }),
    says: 'has a second name',
  },
  {
    name: 'a damaged extra field',
    ...entry({ extra: Buffer.of(1, 2, 3) }, { extra: extra(0x5455) }),
    says: 'has a damaged extra field',
  },
  {
    name: 'another name in the header of the file',
    ...entry({ localPath: 'b.md' }),
    says: 'has a header with another name',
  },
  {
    name: 'another size in the header of the file',
    ...entry({ editLocal: set32(22, 2) }),
    says: 'differs from the directory',
  },
  {
    name: 'another method in the header of the file',
    ...entry({ editLocal: set16(8, 0) }),
    says: 'differs from the directory',
  },
  {
    name: 'a wrong checksum',
    ...entry(both(14, 1, 32)),
    says: 'does not match its size or checksum',
  },
  {
    name: 'a size that is too small',
    ...entry({ data: 'xxxx', ...both(22, 1, 32) }),
    says: 'does not match its size',
  },
  { name: 'a size that is too large', ...entry(both(22, 9, 32)), says: 'does not match its size' },
  {
    name: 'a packed size beyond the archive',
    ...entry(both(18, 9999, 32)),
    says: 'is longer than the archive',
  },
  {
    name: 'data after the end of a stream',
    ...entry({ packed: Buffer.concat([PACKED, NOISE]) }),
    says: 'after the end of its compressed data',
  },
  {
    name: 'a damaged stream',
    ...entry({ packed: Buffer.of(0xff, 0xff) }),
    says: 'has damaged compressed data',
  },
  {
    name: 'a file in place of SKILL.md',
    hostile: buildZip([file('a.md'), { ...file('b.md'), editCentral: set32(42, 0) }]),
    control: buildZip([file('a.md'), file('b.md')]),
    says: 'overlaps another file',
  },
  { name: 'files that overlap', ...overlap(), says: 'overlaps another file' },
  {
    name: 'data before the first file',
    ...whole({ prefix: Buffer.from('PK hidden') }),
    says: 'has hidden data before it',
  },
  {
    name: 'data between two files',
    ...entry({ before: NOISE }),
    says: 'has hidden data before it',
  },
  {
    name: 'data before the directory',
    ...whole({ gap: NOISE }),
    says: 'has data that belongs to no file',
  },
  { name: 'data after the end', ...whole({ suffix: NOISE }), says: 'has data after its end' },
  {
    name: 'a second end record in the comment',
    ...whole({ comment: END.toString('latin1') }, { comment: 'a commit' }),
    says: 'its directory does not end at its end record',
  },
  {
    name: 'a comment that is not text',
    ...whole({ comment: '\u001b[2J' }),
    says: 'has data after its end',
  },
  {
    name: 'a wrong number of files',
    ...whole({
      editEnd: (end) => {
        end.writeUInt16LE(2, 8)
        end.writeUInt16LE(2, 10)
      },
    }),
    says: 'its directory is damaged',
  },
  {
    name: 'numbers of files that differ',
    ...whole({ editEnd: set16(10, 2) }),
    says: 'is a part of an archive of several files',
  },
  {
    name: 'another disk',
    ...whole({ editEnd: set16(4, 1) }),
    says: 'is a part of an archive of several files',
  },
  {
    name: 'a wrong start of the directory',
    ...whole({ editEnd: set32(16, 0) }),
    says: 'does not end at its end record',
  },
  {
    name: 'a cut end',
    hostile: buildZip([]).subarray(0, -1),
    control: buildZip([]),
    says: 'its end is cut',
  },
  {
    name: 'no end',
    hostile: buildZip([]).subarray(0, 30),
    control: buildZip([]),
    says: 'its end is cut',
  },
  {
    name: 'an extra field of zip64',
    ...entry({ extra: extra(1) }, { extra: extra(0x5455) }),
    says: 'uses zip64',
  },
  { name: 'a size of zip64', ...entry({ editCentral: set32(24, MAX32) }), says: 'uses zip64' },
  {
    name: 'an end record of zip64',
    ...whole({
      locator: LOCATOR,
      editEnd: (end) => end.writeUInt32LE(end.readUInt32LE(12) + LOCATOR.length, 12),
    }),
    says: 'uses zip64',
  },
  {
    name: 'a number of files of zip64',
    ...whole({ editEnd: set16(8, 0xffff) }),
    says: 'uses zip64',
  },
  { name: 'encryption', ...entry(both(6, 0x0801)), says: 'is encrypted' },
  { name: 'an encrypted directory', ...entry(both(6, 0x2800)), says: 'is encrypted' },
  { name: 'a patch', ...entry(both(6, 0x0820)), says: 'has flags that are not expected' },
  { name: 'another compression', ...entry(both(8, 12)), says: 'in another way than deflate' },
  {
    name: 'a descriptor that differs',
    ...entry(
      { ...both(6, 0x0808), after: WRONG_DESCRIPTOR },
      { ...both(6, 0x0808), after: DESCRIPTOR },
    ),
    says: 'has a descriptor that differs',
  },
  {
    name: 'a bomb',
    hostile: buildZip([{ path: 'a', data: Buffer.alloc(20 * 1024 ** 2) }]),
    control: buildZip([{ path: 'a', data: Buffer.alloc(900_000) }]),
    says: 'unpacks to more than 200 times its size',
  },
  {
    name: 'a bomb of many files',
    hostile: buildZip(listFiles(40, 1024 ** 2)),
    control: buildZip(listFiles(1, 900_000)),
    says: 'has more than 25 MiB unpacked',
  },
  {
    name: 'too many files',
    hostile: buildZip(listFiles(DOWNLOAD_LIMITS.files, 1)),
    control: buildZip(listFiles(DOWNLOAD_LIMITS.files - 1, 1)),
    says: 'has more than 1000 files and folders',
  },
]

function listFiles(count: number, bytes: number): ZipPart[] {
  return Array.from({ length: count }, (_, at) => ({ path: `${at}.md`, data: Buffer.alloc(bytes) }))
}

/** Both entries of the directory refer to the first file. */
function overlap(): { hostile: Buffer; control: Buffer } {
  const control = buildZip([file('a.md'), file('b.md')])
  const hostile = Buffer.from(control)
  const last = hostile.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
  const first = hostile.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]), last - 1)
  hostile.writeUInt32LE(hostile.readUInt32LE(first + 42), last + 42)
  return { hostile, control }
}
