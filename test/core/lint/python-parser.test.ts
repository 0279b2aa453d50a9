import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPythonParser } from '../../../src/core/lint/python/python-parser.ts'
import { createFolder } from '../../helpers/skills.ts'

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }

function parseTexts(
  texts: readonly string[],
  options: { python?: string; fileTimeoutMs?: number } = {},
) {
  const python = openPythonParser({ env, ...options })
  onTestFinished(() => python.close())
  const files = texts.map((text, at) => ({ path: `${at}.py`, text }))
  return python.parseFiles(files).then((facts) => ({ facts, python }))
}

/** An interpreter that greets and answers, but runs `act` for a text that asks for it. */
function createFakeInterpreter(act: string, greeting = 'say({"version": [3, 11, 0]})'): string {
  const dir = createFolder({
    'python.py': `#!/usr/bin/env python3
import json, os, sys, time
def say(value):
    print(json.dumps(value), flush=True)
${greeting}
for line in sys.stdin:
    job = json.loads(line)
    if "STUMBLE" in job["text"]:
        ${act}
    say({"path": job["path"], "facts": {"problem": None, "functions": []}})
`,
  })
  chmodSync(join(dir, 'python.py'), 0o755)
  return join(dir, 'python.py')
}

describe('positions in Python files', () => {
  it.each([
    ['text of other scripts', 's = "日本語"; import requests\n'],
    ['characters outside the basic plane', 's = "😀😀"; import requests\n'],
    ['a byte order mark', '\uFEFFimport requests\n'],
    ['a declared encoding', '# -*- coding: latin-1 -*-\ns = "é"; import requests\n'],
    ['other line ends', 'x = 1\r\ny = "é"; import requests\r\n'],
  ])('are exact after %s', async (_, text) => {
    const { facts } = await parseTexts([text])
    const span = facts.get('0.py')?.imports[0]?.span
    expect(facts.get('0.py')?.problem).toBeUndefined()
    expect(text.slice(span?.start, span?.end)).toContain('requests')
    expect(text.slice(0, span?.start)).not.toContain('requests')
  })

  it('of a syntax error are exact after non-ASCII text', async () => {
    const text = 's = "日本語😀"; x = = 1\n'
    const { facts } = await parseTexts([text])
    expect(facts.get('0.py')?.problem?.span.start).toBe(text.indexOf('= 1'))
  })
})

describe('a faulty interpreter', () => {
  const texts = ['a = 1\n', 'STUMBLE\n', 'b = 2\n', 'c = 3\n']

  it.each([
    ['hangs', 'time.sleep(600)'],
    ['crashes', 'os._exit(1)'],
    ['is killed', 'os.kill(os.getpid(), 9)'],
    ['prints something else', 'print("Traceback", flush=True); time.sleep(600)'],
  ])('that %s on one file leaves the others checked', async (_, act) => {
    const { facts, python } = await parseTexts(texts, {
      python: createFakeInterpreter(act),
      fileTimeoutMs: 3000,
    })
    expect([...facts.keys()]).toEqual(['0.py', '2.py', '3.py'])
    expect(python.unavailableReason).toBeUndefined()
  })

  it.each([
    ['hangs', 'time.sleep(600)', 'did not respond like Python', 500],
    [
      'talks of something else',
      'print("hello", flush=True); time.sleep(600)',
      'did not respond',
      500,
    ],
    ['ends', 'os._exit(7)', 'exited at once with exit code 7', 30_000],
  ])(
    'that %s at once is started once, not once per file',
    async (...[, greeting, reason, fileTimeoutMs]) => {
      const { facts, python } = await parseTexts(texts, {
        python: createFakeInterpreter('pass', greeting),
        fileTimeoutMs,
      })
      expect(facts.size).toBe(0)
      expect(python.unavailableReason).toContain(reason)
    },
  )
})

describe('imports for type checkers', () => {
  it.each(['TYPE_CHECKING', 'typing.TYPE_CHECKING'])(
    'are not facts of the code under %s, which never executes them',
    async (guard) => {
      const text = `import typing\nif ${guard}:\n    import first\nelse:\n    import second\n`
      const { facts } = await parseTexts([text])
      expect(facts.get('0.py')?.imports.map(({ module }) => module)).toEqual(['typing', 'second'])
    },
  )

  it('are facts of the code under another condition', async () => {
    const { facts } = await parseTexts(['if DEBUG:\n    import first\n'])
    expect(facts.get('0.py')?.imports.map(({ module }) => module)).toEqual(['first'])
  })
})
