import { expect } from 'vitest'
import type { CaseTitle, RunCase } from '../case.ts'
import { expectCompleted, joinOutput } from './expect.ts'
import { wrapMain } from './forge.ts'

/** Contains characters that encodings change, and no short line. */
const SECRET = 'tok/en+Zq8~w"é&7=pL9 xR2mN4vB6'
const GIVEN = { TOKEN: SECRET }
/** Long enough that no piece of it occurs by chance. */
const PIECE = 12

type Rest = Pick<RunCase, 'run' | 'holds' | 'control'> & Partial<RunCase>

function hidden(report: Parameters<RunCase['holds']>[0]): void {
  const output = joinOutput(report)
  for (let at = 0; at + PIECE <= SECRET.length; at++) {
    const piece = SECRET.slice(at, at + PIECE)
    expect(output).not.toContain(piece)
    expect(output).not.toContain(JSON.stringify(piece).slice(1, -1))
  }
}

/** The control shows the same value when it is not a secret: only redaction hides it. */
function leaks(
  [id, says]: CaseTitle,
  code: string,
  how: { shows?: string; status?: string; secret?: string } = {},
): RunCase {
  const secret = how.secret ?? SECRET
  const shown = how.shows ?? secret
  return {
    id,
    says,
    needs: 'secrets',
    run: { code: wrapMain(`value = os.environ["TOKEN"]\n${code}`), secrets: { TOKEN: secret } },
    holds: (report) => {
      expect(report.result?.status).toBe(how.status ?? 'completed')
      hidden(report)
      expect(joinOutput(report)).not.toContain(shown)
    },
    control: {
      run: { code: wrapMain(`value = args["value"]\n${code}`), args: { value: secret } },
      works: (report) => {
        const output = joinOutput(report)
        expect(output.includes(shown) || output.includes(JSON.stringify(shown).slice(1, -1))).toBe(
          true,
        )
      },
    },
  }
}

function other(id: string, says: string, rest: Rest): RunCase {
  return { id, says, needs: 'secrets', ...rest }
}

const bytes = Buffer.from(SECRET)
const hex = bytes.toString('hex')

export const SECRETS: readonly RunCase[] = [
  leaks(['S5.stdout', 'hides a secret that it prints'], 'print(value)\nreturn 1'),
  leaks(['S5.stderr', 'hides a secret in its stderr'], 'print(value, file=sys.stderr)\nreturn 1'),
  leaks(
    ['S5.log', 'hides a secret that it logs'],
    'from runtime import log\nlog.warning("got " + value)\nreturn 1',
  ),
  leaks(['S5.value', 'hides a secret that it returns'], 'return {"a": ["x" + value + "y"]}'),
  leaks(['S5.key', 'hides a secret that it returns as a key'], 'return {value: 1}'),
  leaks(['S5.large', 'hides a secret in a large value'], 'return ["x" * 9000, value]'),
  leaks(['S5.summary', 'hides a secret in its summary'], 'return {"summary": value}'),
  leaks(
    ['S5.message', 'hides a secret in the error that it raises'],
    'raise ValueError("no " + value)',
    { status: 'failed' },
  ),
  leaks(
    ['S5.name', 'hides a secret in the name of its error'],
    'raise type(value, (Exception,), {})("x")',
    { status: 'failed' },
  ),
  leaks(
    ['S5.trace', 'hides a secret in its traceback'],
    'try: raise KeyError(value)\nexcept KeyError as error: raise ValueError("x") from error',
    { status: 'failed' },
  ),
  leaks(['S5.exit', 'hides a secret that it exits with'], 'sys.exit(value)', { status: 'failed' }),
  leaks(
    ['S5.split', 'hides a secret that it prints byte by byte'],
    'for byte in value.encode():\n    os.write(1, bytes([byte])); time.sleep(0.01)\nreturn 1',
  ),
  leaks(
    ['S5.long-log', 'hides a secret if its log is split into pieces'],
    'from runtime import log\nlog.info("x" * (64 * 1024 - 10) + value)\nreturn 1',
  ),
  leaks(
    ['S5.kind', 'hides a secret in the MIME type of a blob'],
    'from runtime import blobs\nblobs.write_text("x", kind="text/" + value)\nreturn 1',
    { secret: 'tokenZq8w7pL9xR2mN4vB6' },
  ),
  leaks(
    ['S5.base64', 'hides a secret in base64'],
    'import base64\nprint(base64.b64encode(value.encode()).decode())\nreturn 1',
    { shows: bytes.toString('base64') },
  ),
  leaks(
    ['S5.base64-within', 'hides a secret within base64'],
    'import base64\nprint(base64.b64encode(b"user:" + value.encode()).decode())\nreturn 1',
    { shows: Buffer.from(`user:${SECRET}`).toString('base64') },
  ),
  leaks(
    ['S5.base64-url', 'hides a secret in the base64 of URLs'],
    'import base64\nprint(base64.urlsafe_b64encode(value.encode()).decode())\nreturn 1',
    { shows: bytes.toString('base64url') },
  ),
  leaks(
    ['S5.base64-lines', 'hides a secret in base64 of many lines'],
    'import base64\nprint(base64.encodebytes((value * 9).encode()).decode())\nreturn 1',
    { shows: Buffer.from(SECRET.repeat(3)).toString('base64').slice(4, 30) },
  ),
  leaks(['S5.hex', 'hides a secret in hexadecimal'], 'print(value.encode().hex())\nreturn 1', {
    shows: hex,
  }),
  leaks(
    ['S5.hex-upper', 'hides a secret in upper-case hexadecimal'],
    'print(value.encode().hex().upper())\nreturn 1',
    { shows: hex.toUpperCase() },
  ),
  leaks(
    ['S5.hex-spaced', 'hides a secret in spaced hexadecimal'],
    'print(value.encode().hex(" "))\nreturn 1',
    { shows: hex.replace(/..(?=.)/g, '$& ') },
  ),
  leaks(
    ['S5.url', 'hides a secret in a URL'],
    'from urllib.parse import quote\nprint(quote(value))\nreturn 1',
    { shows: encodeURIComponent(SECRET).replaceAll('%2F', '/') },
  ),
  leaks(
    ['S5.url-strict', 'hides a secret in a strictly encoded URL'],
    'from urllib.parse import quote\nprint(quote(value, safe=""))\nreturn 1',
    { shows: encodeURIComponent(SECRET) },
  ),
  leaks(
    ['S5.url-plus', 'hides a secret in a query'],
    'from urllib.parse import urlencode\nprint(urlencode({"q": value}))\nreturn 1',
    { shows: encodeURIComponent(SECRET).replaceAll('%20', '+') },
  ),
  leaks(['S5.json', 'hides a secret in JSON'], 'print(json.dumps(value))\nreturn 1', {
    shows: 'tok/en+Zq8~w\\"\\u00e9',
  }),
  leaks(['S5.repr', 'hides a secret in the repr of Python'], 'print(ascii([value]))\nreturn 1', {
    shows: 'tok/en+Zq8~w"\\xe9',
  }),
  leaks(['S5.html', 'hides a secret in HTML'], 'import html\nprint(html.escape(value))\nreturn 1', {
    shows: 'Zq8~w&quot;é&amp;7=pL9',
  }),
  leaks(
    ['S5.cut-summary', 'leaves no piece of a secret where its summary is truncated'],
    'return {"summary": value * 19 + "z" * 20 + value}',
    { shows: SECRET.slice(0, PIECE) },
  ),
  leaks(
    ['S5.cut-summary-end', 'leaves no piece of a secret at the end of a summary'],
    'return {"summary": (value * 3) + value * 40}',
    { shows: SECRET.slice(0, PIECE) },
  ),
  leaks(
    ['S5.cut-message', 'leaves no piece of a secret where its message is truncated'],
    'raise ValueError("x" * 7980 + value)',
    { status: 'failed', shows: SECRET.slice(0, PIECE) },
  ),
  leaks(
    ['S5.cut-trace', 'leaves no piece of a secret where its traceback is truncated'],
    'raise ValueError(value * 5000)',
    { status: 'failed', shows: SECRET.slice(0, PIECE) },
  ),
  leaks(
    ['S5.half', 'leaves no piece of a secret where its output ends'],
    `os.write(1, value[:20].encode())\nreturn 1`,
    { shows: SECRET.slice(0, PIECE) },
  ),
  {
    ...leaks(
      ['S5.cut-output', 'leaves no piece of a secret where its output is truncated'],
      'os.write(1, b"x" * (65536 - 20) + value.encode() * 3)\ntime.sleep(5)',
      { status: 'failed', shows: SECRET.slice(0, PIECE) },
    ),
    run: {
      code: wrapMain(
        'os.write(1, b"x" * (65536 - 20) + os.environ["TOKEN"].encode() * 3)\ntime.sleep(5)',
      ),
      secrets: GIVEN,
      settings: { 'run.limits.output': 65536 },
    },
    control: { none: 'S5.stdout shows that a value that is not secret is printed' },
  },
  other('S5.number', 'hides a secret that it returns as a number', {
    run: {
      code: wrapMain(
        'print(int(os.environ["PIN"]))\nreturn {"pin": int(os.environ["PIN"]), "n": 17}',
      ),
      secrets: { PIN: '730164428915' },
    },
    holds: (report) => {
      expect(joinOutput(report)).not.toContain('730164428915')
      expect(report.result?.output).toMatchObject({ n: 17 })
    },
    control: {
      run: { code: wrapMain('return {"pin": 730164428915, "n": 17}') },
      works: expectCompleted({ pin: 730164428915, n: 17 }),
    },
  }),
  other('S4.undeclared', 'has no secret that it does not declare', {
    run: { code: wrapMain('return sorted(os.environ)'), secrets: {}, toml: '' },
    holds: (report) => {
      expectCompleted()(report)
      expect(report.result?.output).not.toContain('TOKEN')
    },
    control: {
      run: { code: wrapMain('return "TOKEN" in os.environ'), secrets: GIVEN },
      works: expectCompleted(true),
    },
  }),
  other('S4.code', 'as code in the request has no secret', {
    run: { code: wrapMain('return sorted(os.environ)'), as: 'code', secrets: GIVEN },
    holds: (report) => {
      expectCompleted()(report)
      expect(report.result?.output).not.toContain('TOKEN')
    },
    control: {
      run: { code: wrapMain('return "TOKEN" in os.environ'), secrets: GIVEN },
      works: expectCompleted(true),
    },
  }),
  other('S6.words', 'finds no secret in the argv and environment of processes', {
    needs: 'processes',
    run: {
      code: wrapMain(
        'found = []\nfor pid in os.listdir("/proc"):\n    for name in ("cmdline", "environ"):\n        try:\n            if os.environ["TOKEN"].encode() in open("/proc/%s/%s" % (pid, name), "rb").read(): found.append(pid + name)\n        except OSError: pass\nreturn found',
      ),
      secrets: GIVEN,
    },
    holds: expectCompleted([]),
    control: {
      bare: 'import os, subprocess, sys\nprint(subprocess.run([sys.executable, "-c", "print(open(\'/proc/self/environ\').read().count(\'of-the-caller\'))"], env={"TOKEN": "of-the-caller"}, capture_output=True, text=True).stdout)',
      prints: '1',
    },
  }),
  other('S6.files', 'finds no secret in a file', {
    needs: 'files',
    run: {
      code: wrapMain(
        'found = []\nfor top in ("/workspace", "/tmp", "/dev/shm", "/guest", "/skills", "/etc", "/blobs"):\n    for folder, _, names in os.walk(top):\n        for name in names:\n            try:\n                if os.environ["TOKEN"].encode() in open(folder + "/" + name, "rb").read(): found.append(name)\n            except OSError: pass\nreturn found',
      ),
      secrets: GIVEN,
    },
    holds: expectCompleted([]),
    control: {
      run: {
        code: wrapMain(
          'open("/tmp/x", "w").write(os.environ["TOKEN"])\nreturn os.environ["TOKEN"] in open("/tmp/x").read()',
        ),
        secrets: GIVEN,
      },
      works: expectCompleted(true),
    },
  }),
]
