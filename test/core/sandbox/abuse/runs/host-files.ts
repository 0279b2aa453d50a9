import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { RunCase } from '../case.ts'
import type { RunReport } from '../worker-protocol.ts'
import { expectCompleted, expectFailed, expectRefused, joinOutput } from './expect.ts'
import { wrapForgingMain, wrapMain } from './forge.ts'

type Rest = Pick<RunCase, 'run' | 'holds' | 'control'>

function files(id: string, says: string, rest: Rest): RunCase {
  return { id, says, needs: 'files', ...rest }
}

/** Blobs that are requested, created or claimed by id. */
function createBlobCase(id: string, says: string, rest: Rest): RunCase {
  return { id, says, needs: 'channel', ...rest }
}

/** Shows that following the link would have left the folder. */
const FOLLOWED: RunCase['control'] = {
  host: () => {
    const dir = mkdtempSync(join(tmpdir(), 'skills-follow-'))
    symlinkSync('/etc/passwd', join(dir, 'link'))
    cpSync(dir, `${dir}-copy`, { recursive: true, dereference: true })
    expect(readFileSync(`${dir}-copy/link`, 'utf8')).toContain('root:')
    for (const each of [dir, `${dir}-copy`]) rmSync(each, { recursive: true })
  },
}

const bare = (code: string, prints: string): RunCase['control'] => ({ bare: code, prints })
const READS_LINK = bare(
  'import os, tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    os.symlink("/etc/passwd", folder + "/link")\n    print("daemon:" in open(folder + "/link").read())',
  'True',
)
const NOT_OF_THE_HOST = (report: RunReport): void => {
  expect(joinOutput(report)).not.toContain('daemon:')
  for (const { content } of report.blobs) expect(content).not.toContain('daemon:')
}

export const HOST_FILES: readonly RunCase[] = [
  files('H1.blob', 'stores no host file by a symlink', {
    run: {
      code: wrapMain(
        'from runtime import blobs\nos.symlink("/etc/passwd", "/workspace/link")\nreturn blobs.write_file("/workspace/link")',
      ),
    },
    holds: (report) => {
      NOT_OF_THE_HOST(report)
      expect(report.blobs.every(({ content }) => content.includes('skill:x:'))).toBe(true)
    },
    control: READS_LINK,
  }),
  files('H1.shadow', 'stores no host file by a path', {
    run: { code: wrapMain('from runtime import blobs\nreturn blobs.write_file("/etc/shadow")') },
    holds: expectFailed('FileNotFoundError'),
    control: bare('import os\nprint(os.path.exists("/etc/shadow"))', 'True'),
  }),
  files('H1.kept', 'leaves no symlink in the copy of its workspace', {
    run: {
      code: wrapMain(
        'os.symlink("/etc/passwd", "link"); os.symlink("/etc", "folder"); os.symlink("nowhere", "broken"); open("file", "w").write("x")\nreturn 1',
      ),
      keep: true,
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(report.kept).toEqual(['file'])
    },
    control: FOLLOWED,
  }),
  files('H2.parent', 'leaves nothing through a symlink to a folder', {
    run: {
      code: wrapMain(
        'os.makedirs("a/b"); os.symlink("/etc", "a/b/c"); os.symlink("..", "a/up"); os.symlink("/", "top")\nreturn 1',
      ),
      keep: true,
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(report.kept).toEqual(['a', 'a/b'])
    },
    control: FOLLOWED,
  }),
  files('H4.kept', 'leaves no pipe, socket or device in the copy of its workspace', {
    run: {
      code: wrapMain(
        'import socket\nos.mkfifo("pipe"); s = socket.socket(socket.AF_UNIX); s.bind("socket"); open("file", "w").close()\nreturn 1',
      ),
      keep: true,
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(report.kept).toEqual(['file'])
    },
    control: bare(
      'import os, tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    os.mkfifo(folder + "/pipe")\n    try: os.open(folder + "/pipe", os.O_WRONLY | os.O_NONBLOCK)\n    except OSError as error: print(error.errno)',
      '6',
    ),
  }),
  files('H4.blob', 'waits for its pipe no longer than its timeout', {
    run: {
      code: wrapMain(
        'from runtime import blobs\nos.mkfifo("/workspace/pipe")\nreturn blobs.write_file("/workspace/pipe")',
      ),
      timeoutMs: 700,
    },
    holds: expectFailed('Timeout'),
    control: { none: 'a pipe without a writer blocks by definition' },
  }),
  files('H5.hard', 'leaves hard links as data', {
    run: { code: wrapMain('open("a", "w").write("x"); os.link("a", "b")\nreturn 1'), keep: true },
    holds: (report) => expect(report.kept).toEqual(['a', 'b']),
    control: { none: 'no host file can be linked: see F8.hard' },
  }),
  files('H6.deep', 'does not disrupt the host with folders of any depth', {
    run: {
      code: wrapMain('for _ in range(3000):\n    os.mkdir("d"); os.chdir("d")\nreturn 1'),
      keep: true,
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(report.result?.logs_preview).toContain('workspace')
    },
    control: { none: 'the kernel sets the maximum depth' },
  }),
  files('H7.locked', 'cannot lock its files against the copy of its workspace', {
    run: {
      code: wrapMain(
        'os.makedirs("a/b"); os.mkdir("r")\nfor name in ("a/b/f", "r/h", "g"): open(name, "w").write("x")\nfor name, mode in (("g", 0), ("a/b", 0), ("a", 0), ("r", 0o400)): os.chmod(name, mode)\nreturn 1',
      ),
      keep: true,
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(report.kept).toEqual(['a', 'a/b', 'a/b/f', 'g', 'r', 'r/h'])
      expect(report.notes.join()).not.toContain('cannot be read')
    },
    control: { none: 'modes do not bind root, which starts the controls' },
  }),
  files('H7.modes', 'leaves no set-uid file', {
    run: {
      code: wrapMain(`open("a", "w").close(); os.mkdir("d")
def reach(path, mode):
    try: os.chmod(path, mode)
    except PermissionError: os.chmod(path, mode & 0o777)
    return oct(os.stat(path).st_mode & 0o7777)
return [reach("a", 0o7777), reach("d", 0o7777)]`),
      keep: true,
    },
    holds: (report) => {
      // A system call filter already refuses these modes; without one, the run sees the modes that
      // it set.
      expect(report.result?.status).toBe('completed')
      const isFiltered = report.result?.isolation?.seccomp === true
      const seen = isFiltered ? ['0o777', '0o777'] : ['0o7777', '0o7777']
      expect(report.result?.output).toEqual(seen)
      expect(report.kept).toEqual(['a', 'd'])
    },
    control: { none: 'the run itself sees the mode that it set' },
  }),
  files('H8.hidden', 'cannot hide its files', {
    run: {
      code: wrapMain('os.mkdir("d"); open("d/x", "w").close(); os.chmod("d", 0)\nreturn 1'),
      keep: true,
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(report.kept).toBeDefined()
    },
    control: { none: 'the attack is a mode that denies all access' },
  }),
  files('F28.names', 'leaves files of any name', {
    run: {
      code: wrapMain(
        'for name in (b"a\\nb", b"\\xff\\xfe", b"x" * 255, b"-rf", b" ", b"\\x1b[31m", b"..."):\n    open(name, "w").close()\nreturn 1',
      ),
      keep: true,
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(new Set(report.kept)).toEqual(
        new Set(['a\nb', '\xff\xfe', 'x'.repeat(255), '-rf', ' ', '\x1b[31m', '...']),
      )
    },
    control: { host: () => expect(Buffer.from([0xff]).toString('utf8')).not.toBe('\xff') },
  }),
  files('F25.link', 'reads no host file by a symlink in its skill', {
    run: {
      code: wrapMain(
        'here = os.path.dirname(__file__)\nfound = {}\nfor name in ("link", "folder/passwd", "up/../etc/passwd"):\n    try: found[name] = open(os.path.join(here, name)).read()\n    except OSError: found[name] = None\nreturn found',
      ),
      prepare: 'ln -s /etc/passwd link; ln -s /etc folder; ln -s ../../../../../.. up',
    },
    holds: NOT_OF_THE_HOST,
    control: READS_LINK,
  }),
  files('F25.entry', 'starts no host program by a symlink in its skill', {
    run: {
      code: '',
      prepare: 'rm main.py; ln -s /usr/lib/python3/dist-packages/../../os-release main.py',
    },
    holds: ({ result, thrown }) => {
      expect(result?.status).not.toBe('completed')
      expect(thrown !== undefined || result?.error?.type === 'EntrypointNotFound').toBe(true)
    },
    control: READS_LINK,
  }),
  files('F25.pipe', 'does not start with a pipe in its skill', {
    run: { code: wrapMain('return 1'), prepare: 'mkfifo pipe' },
    holds: expectRefused('skill/invalid'),
    control: {
      run: { code: wrapMain('return 1'), prepare: 'touch pipe' },
      works: expectCompleted(1),
    },
  }),
  files('F25.socket', 'does not start with a socket in its skill', {
    run: {
      code: wrapMain('return 1'),
      prepare: 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'s\')"',
    },
    holds: expectRefused('skill/invalid'),
    control: { run: { code: wrapMain('return 1'), prepare: 'touch s' }, works: expectCompleted(1) },
  }),
  files('F25.rights', 'has no set-uid program in its skill', {
    run: {
      code: wrapMain('return oct(os.stat(os.path.dirname(__file__) + "/tool").st_mode & 0o7777)'),
      prepare: 'cp /bin/true tool; chmod 6755 tool',
    },
    holds: expectCompleted('0o555'),
    control: bare(
      'import os, tempfile\nwith tempfile.NamedTemporaryFile() as file:\n    os.chmod(file.name, 0o6755)\n    print(oct(os.stat(file.name).st_mode & 0o7777))',
      '0o6755',
    ),
  }),
  files('F25.loop', 'does not hang on circular symlinks', {
    run: { code: wrapMain('return 1'), prepare: 'ln -s b a; ln -s a b; ln -s . self' },
    holds: expectCompleted(1),
    control: bare(
      'import os, tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    os.symlink(".", folder + "/self")\n    print(os.path.exists(folder + "/self" * 20))',
      'True',
    ),
  }),
  files('F25.changed', 'sees no change of its skill while it runs', {
    run: {
      code: wrapMain(
        'path = os.path.dirname(__file__) + "/data"\nbefore = open(path).read()\ntime.sleep(2)\nreturn [before, open(path).read(), os.path.exists(path + "2")]',
      ),
      files: { data: 'old' },
      prepare: '(sleep 1.2; printf new > data; printf x > data2) >/dev/null 2>&1 &',
    },
    holds: ({ result }) => {
      const [before, after, isThere] = (result?.output ?? []) as [string, string, boolean]
      expect([after, isThere]).toEqual([before, before === 'new'])
    },
    control: bare(
      'import os, tempfile\nwith tempfile.NamedTemporaryFile("w+") as file:\n    before = file.read(); os.system("printf new > " + file.name)\n    print(open(file.name).read())',
      'new',
    ),
  }),
  files('H10.cleanup', 'is cleaned up without following symlinks', {
    run: {
      code: wrapMain('return 1'),
      prepare:
        'mkdir -p ../victim; echo x > ../victim/file; ln -s "$PWD/../victim" link; ln -s "$PWD/../victim/file" file',
      keep: true,
    },
    holds: (report) => expectCompleted(1)(report),
    control: {
      host: () => {
        const dir = mkdtempSync(join(tmpdir(), 'skills-follow-'))
        symlinkSync(dir, `${dir}-link`)
        expect(readdirSync(`${dir}-link/`)).toEqual([])
        rmSync(`${dir}-link`)
        rmSync(dir, { recursive: true })
      },
    },
  }),
  // Runs twice, so that the later run would find leftovers of the earlier one.
  ...['remains', 'remains-again'].map((id) =>
    files(`F23.${id}`, `finds nothing of a concurrent run (${id})`, {
      run: {
        code: wrapMain(
          'places = ("/tmp", "/dev/shm", "/workspace", "/var/tmp")\nfound = [each for each in places if os.path.exists(each + "/remains")]\nfor each in places[:3]: open(each + "/remains", "w").close()\ntime.sleep(0.5)\nreturn found',
        ),
      },
      holds: expectCompleted([]),
      control: {
        run: {
          code: wrapMain(
            'open("/tmp/remains", "w").close()\nreturn os.path.exists("/tmp/remains")',
          ),
        },
        works: expectCompleted(true),
      },
    }),
  ),
  ...[
    'blob:../../../etc/passwd',
    '../../etc/passwd',
    '/etc/passwd',
    `blob:${'0'.repeat(31)}`,
    `blob:${'A'.repeat(32)}`,
    `blob:${'0'.repeat(32)}\n`,
    'blob:',
    `blob:${'0'.repeat(32)}/../x`,
    '\0',
  ].map((id, at): RunCase =>
    createBlobCase(`C18.host-${at}`, `is refused for the blob ${JSON.stringify(id)}`, {
      run: { code: wrapMain('return 1'), blobIds: [id] },
      holds: expectRefused('blob/not-found'),
      control: { run: { code: wrapMain('return 1'), blobs: ['x'] }, works: expectCompleted(1) },
    }),
  ),
  files('C18.others', 'reads no blob that was not granted', {
    run: {
      code: wrapMain(
        'from runtime import blobs\nfound = []\nfor name in args["others"] + [args["others"][0][5:], "../" + args["others"][0][5:], "blob:../x", "*", ""]:\n    for read in (blobs.read_text, blobs.path, blobs.open, blobs.read_json):\n        try: read(name); found.append(name)\n        except FileNotFoundError: pass\nreturn found + os.listdir("/blobs")',
      ),
      otherBlobs: ['not for you'],
    },
    holds: expectCompleted([]),
    control: {
      run: {
        code: wrapMain('from runtime import blobs\nreturn blobs.read_text(args["ids"][0])'),
        blobs: ['for you'],
      },
      works: expectCompleted('for you'),
    },
  }),
  files('C18.change', 'changes no granted blob', {
    run: {
      code: wrapMain(
        'from runtime import blobs\npath = blobs.path(args["ids"][0])\nfor change in (lambda: open(path, "w"), lambda: os.unlink(path), lambda: os.rename(path, path + "x"), lambda: os.chmod(path, 0o777), lambda: os.utime(path), lambda: os.truncate(path, 0), lambda: os.setxattr(path, "user.x", b"")):\n    try: change(); return "changed"\n    except OSError: pass\nreturn blobs.read_text(path.rsplit("/")[-1])',
      ),
      blobs: ['whole'],
    },
    holds: expectCompleted('whole'),
    control: bare(
      'import tempfile\nwith tempfile.NamedTemporaryFile() as file: open(file.name, "w").write("x"); print(open(file.name).read())',
      'x',
    ),
  }),
  createBlobCase('C18.claim', 'cannot present a granted blob as its own output', {
    run: {
      code: wrapForgingMain(
        'forge(b"R", json.dumps({"output_blob": args["ids"][0]}).encode())\nos._exit(0)',
      ),
      blobs: ['x'],
    },
    holds: (report) => {
      expectFailed('SandboxError')(report)
      expect(report.result?.output_blobs).toEqual([])
    },
    control: { run: { code: wrapForgingMain('return "x" * 9000') }, works: expectCompleted() },
  }),
  ...(
    [
      ['number', 'forge(b"B", json.dumps({"number": 5, "kind": "a/b", "output": False}).encode())'],
      [
        'negative',
        'forge(b"B", json.dumps({"number": -1, "kind": "a/b", "output": False}).encode())',
      ],
      ['text', 'forge(b"B", b"x")'],
      ['null', 'forge(b"B", b"null")'],
      ['unopened', 'forge(b"C", bytes(4) + b"x")'],
      ['short', 'forge(b"C", b"x")'],
      ['ended', 'forge(b"E", bytes(4))'],
      ['dropped', 'forge(b"A", bytes(4))'],
      ['asked', 'forge(b"G", bytes(16))'],
      ['asked-short', 'forge(b"G", b"x")'],
      [
        'asked-much',
        'from runtime import blobs\nblobs.write_text("x")\nforge(b"G", bytes(12) + b"\\xff" * 4)',
      ],
    ] as const
  ).map(([name, code]) =>
    createBlobCase(`C18.forged-${name}`, `cannot disrupt the host by a blob that is ${name}`, {
      run: { code: wrapForgingMain(`${code}\nreturn 1`), timeoutMs: 10_000 },
      holds: (report) => {
        expectFailed('SandboxError')(report)
      },
      control: {
        run: {
          code: wrapForgingMain('from runtime import blobs\nblobs.write_text("x")\nreturn 1'),
        },
        works: expectCompleted(1),
      },
    }),
  ),
  createBlobCase('C18.asked-far', 'reads nothing past the end of a blob', {
    run: {
      code: wrapForgingMain(
        'from runtime import blobs\nblobs.write_text("x")\nforge(b"G", bytes(4) + (1 << 40).to_bytes(8, "big") + (100).to_bytes(4, "big"))\nhead = os.read(find_channel()._fd, 25)\nreturn int.from_bytes(head[17:21], "big")',
      ),
    },
    holds: expectCompleted(0),
    control: {
      run: {
        code: wrapForgingMain(
          'from runtime import blobs\nblobs.write_text("x")\nforge(b"G", bytes(12) + (1).to_bytes(4, "big"))\nhead = os.read(find_channel()._fd, 25)\nreturn int.from_bytes(head[17:21], "big")',
        ),
      },
      works: expectCompleted(1),
    },
  }),
  createBlobCase('C18.kind', 'cannot invent MIME types of blobs', {
    run: {
      code: wrapForgingMain(
        'forge(b"B", json.dumps({"number": 0, "kind": "text/plain\\r\\nX: y", "output": False}).encode())\nforge(b"C", bytes(4) + b"x")\nforge(b"E", bytes(4))\nreturn 1',
      ),
    },
    holds: (report) => {
      expectCompleted(1)(report)
      expect(report.blobs.map(({ kind }) => kind)).toEqual(['application/octet-stream'])
    },
    control: {
      run: {
        code: wrapForgingMain(
          'from runtime import blobs\nblobs.write_text("x", kind="text/x-own")\nreturn 1',
        ),
      },
      works: ({ blobs }) => expect(blobs[0]?.kind).toBe('text/x-own'),
    },
  }),
  createBlobCase('R13.drafts', 'stores no unfinished blob', {
    run: {
      code: wrapMain(
        'from runtime import blobs\nfile = blobs.open(mode="wb")\nfile.write(b"x" * 1000000)\nos._exit(0)',
      ),
    },
    holds: (report) => {
      expectFailed('Exited')(report)
      expect(report.result?.output_blobs).toEqual([])
    },
    control: {
      run: {
        code: wrapMain(
          'from runtime import blobs\nwith blobs.open(mode="wb") as file: file.write(b"x")\nos._exit(0)',
        ),
      },
      works: ({ result }) => expect(result?.output_blobs).toHaveLength(1),
    },
  }),
]
