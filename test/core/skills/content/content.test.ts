import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  comparePaths,
  digestContent,
  findContentPathProblem,
  formatContentManifest,
  type ContentEntry,
} from '../../../../src/core/skills/content/content-manifest.ts'
import { digestFolder, readContent } from '../../../../src/core/skills/content/read-content.ts'
import { createFolder } from '../../../helpers/skills.ts'

/** The same manifest in Python, from the description in docs/packing.md. */
const PYTHON = `
import hashlib, os, sys, unicodedata
root, lines = os.fsencode(sys.argv[1]), []
for folder, folders, files in os.walk(root):
    for name in files + [each for each in folders if os.path.islink(os.path.join(folder, each))]:
        file = os.path.join(folder, name)
        path = unicodedata.normalize('NFC', os.path.relpath(file, root).decode()).encode()
        if os.path.islink(file):
            mode, data = b'120000', os.readlink(file)
        else:
            mode = b'100755' if os.stat(file).st_mode & 0o100 else b'100644'
            data = open(file, 'rb').read()
        digest = hashlib.sha256(data).hexdigest().encode()
        lines.append((path, mode + b' %d ' % len(data) + digest + b' ' + path + b'\\n'))
sys.stdout.buffer.write(b''.join(line for path, line in sorted(lines)))
`

function computeInPython(folder: string): string {
  return execFileSync('python3', ['-c', PYTHON, folder], { encoding: 'utf8' })
}

const TREES: Record<string, () => string> = {
  'a skill with folders and an executable file': () => {
    const dir = createFolder({ 'SKILL.md': '# a\n', 'a/b.txt': '', 'a-b': 'x', 'scripts/run': '#!' })
    chmodSync(join(dir, 'scripts/run'), 0o755)
    return dir
  },
  'no file': () => createFolder(),
  'an empty folder, which is not covered': () => {
    const dir = createFolder({ 'SKILL.md': 'x' })
    mkdirSync(join(dir, 'empty'))
    return dir
  },
  'characters beyond 16 bits, which UTF-16 orders differently': () =>
    createFolder({ '\u{1f600}': 'a', '\ufb03': 'b', 'z\u{10000}': 'c', 'z\uffee': 'd' }),
  'a name in form NFD': () => createFolder({ 'cafe\u0301.md': 'x', 'ä.md': 'y' }),
  'links, which are the texts of their targets': () => {
    const dir = createFolder({ 'SKILL.md': 'x', 'lib/a.py': 'y' })
    symlinkSync('lib/a.py', join(dir, 'link'))
    symlinkSync('lib', join(dir, 'folder-link'))
    symlinkSync('/nowhere', join(dir, 'dangling'))
    return dir
  },
  'a file of three pieces': () => createFolder({ 'data.bin': Buffer.alloc(2_500_000, 7) }),
}

describe('the content manifest', () => {
  it.each(Object.entries(TREES))('equals the one of Python: %s', async (_name, create) => {
    const folder = create()
    const manifest = formatContentManifest(await readContent(folder))
    expect(manifest).toBe(computeInPython(folder))
    const digest = execFileSync('sha256sum', { input: manifest, encoding: 'utf8' }).slice(0, 64)
    expect(await digestFolder(folder)).toBe(`sha256:${digest}`)
  })

  it('has a fixed form: the vector of docs/packing.md', () => {
    const entries: ContentEntry[] = [
      { path: 'scripts/run.sh', mode: '100755', size: 3, sha256: 'b'.repeat(64) },
      { path: 'SKILL.md', mode: '100644', size: 12, sha256: 'a'.repeat(64) },
    ]
    expect(formatContentManifest(entries)).toBe(
      `100644 12 ${'a'.repeat(64)} SKILL.md\n100755 3 ${'b'.repeat(64)} scripts/run.sh\n`,
    )
    expect(digestContent([])).toBe(
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
  })

  it('orders paths by their bytes', () => {
    expect(['b', 'a/b', 'a-b', '\u{1f600}', '\ufb03', 'B'].toSorted(comparePaths)).toEqual([
      'B', 'a-b', 'a/b', 'b', '\ufb03', '\u{1f600}',
    ])
    // Control: the default order differs.
    expect(['\ufb03', '\u{1f600}'].toSorted()).toEqual(['\u{1f600}', '\ufb03'])
  })
})

/** Changes that keep the number of files, and most of them also the concatenated contents. */
const CHANGES: Record<string, (dir: string) => void> = {
  'a byte': (dir) => writeFileSync(join(dir, 'a'), 'onE'),
  'a byte that moves to the next file': (dir) => {
    writeFileSync(join(dir, 'a'), 'on')
    writeFileSync(join(dir, 'b'), 'etwo')
  },
  'a path': (dir) => renameSync(join(dir, 'a'), join(dir, 'aa')),
  'the executable bit': (dir) => chmodSync(join(dir, 'a'), 0o755),
  'the target of a link': (dir) => {
    rmSync(join(dir, 'link'))
    symlinkSync('b', join(dir, 'link'))
  },
  'a link that becomes a file with its text': (dir) => {
    rmSync(join(dir, 'link'))
    writeFileSync(join(dir, 'link'), 'a')
  },
  'a new empty file': (dir) => writeFileSync(join(dir, 'c'), ''),
}

describe('the digest', () => {
  it.each(Object.entries(CHANGES))('changes with %s', async (_name, change) => {
    const dir = createFolder({ a: 'one', b: 'two' })
    symlinkSync('a', join(dir, 'link'))
    const before = await digestFolder(dir)
    expect(await digestFolder(dir)).toBe(before)
    change(dir)
    expect(await digestFolder(dir)).not.toBe(before)
  })

  it('does not change with permissions of the group, times and the name of the folder', async () => {
    const [one, two] = [createFolder({ a: 'one' }), createFolder({ a: 'one' })]
    chmodSync(join(two, 'a'), 0o600)
    expect(await digestFolder(two)).toBe(await digestFolder(one))
  })

  it('a path that forges a line is refused', async () => {
    const real = createFolder({ a: '', b: '' })
    const manifest = formatContentManifest(await readContent(real))
    const [first = ''] = manifest.split('\n')
    const forged = manifest.slice(first.length - 1).trimEnd()
    // Control: without the check, one file with this name has the same manifest as the two files.
    expect(`${first.slice(0, -1)}${forged}\n`).toBe(manifest)
    const dir = createFolder()
    writeFileSync(join(dir, forged.replaceAll('/', '')), '')
    await expect(digestFolder(dir)).rejects.toThrow('has a control character')
  })

  it('a special file is refused', async () => {
    const dir = createFolder({ 'SKILL.md': 'x' })
    execFileSync('mkfifo', [join(dir, 'pipe')])
    await expect(digestFolder(dir)).rejects.toThrow('The path "pipe" is not a regular file')
  })

  it('two names that differ only in their form of Unicode are refused', async () => {
    const dir = createFolder({ 'cafe\u0301': '1', 'caf\u00e9': '2' })
    await expect(digestFolder(dir)).rejects.toThrow('is there in two forms of Unicode')
  })

  it('more than 10,000 files are refused', { timeout: 60_000 }, async () => {
    const dir = createFolder(
      Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`${at}`, ''])),
    )
    expect(await digestFolder(dir)).toMatch(/^sha256:/)
    writeFileSync(join(dir, 'one-more'), '')
    await expect(digestFolder(dir)).rejects.toThrow('has more than 10000 files and folders')
  })

  it('a name that is not UTF-8 is refused', async () => {
    const dir = createFolder({ a: '' })
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.of(0xff)]), 'x')
    await expect(digestFolder(dir)).rejects.toThrow('of the skill')
  })
})

it.each([
  ['', 'is empty'],
  ['/etc/passwd', 'is absolute'],
  ['a/../b', 'leads out with ".."'],
  ['a//b', 'has an empty or "." segment'],
  ['./a', 'has an empty or "." segment'],
  ['a\nb', 'has a control character'],
  ['a\u007f', 'has a control character'],
  ['\ud800', 'is not valid Unicode'],
  ['e\u0301', 'is not in Unicode form NFC'],
  ['a/b.md', undefined],
])('the path %j %s', (path, problem) => {
  expect(findContentPathProblem(path)).toBe(problem)
})
