import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createSession } from '../workspaces/in-workspace.ts'

const SECRET = 'very-secret-value'
const TOKEN = ['gh', 'p_', 'Ab3dEf6hIj'.repeat(4)].join('').slice(0, 40)
/** Removed by a reader of a text, so that both halves become one. */
const SEPARATORS = ['\u001b[0m', '\u001b]0;title\u0007', '\u200b', '\r', '\u0000']

const SKILL_TOML = `name = "demo"
version = "1.0.0"
description = "Demonstrates."

[permissions]
secrets = ["TOKEN"]
`

/** Prints a value in two halves with each separator between them, in one piece and in two. */
function createPrinter(value: string): string {
  return `import sys, time
value = ${value}
for each in ${JSON.stringify(SEPARATORS)}:
    print("<" + value[:8] + each + value[8:] + ">")
    sys.stdout.write("<" + value[:8] + each[:1]); sys.stdout.flush(); time.sleep(0.05)
    print(each[1:] + value[8:] + ">")
`
}

/** The text as a person sees it. */
function readAll(answer: unknown): string {
  return JSON.stringify(answer).replaceAll(
    /\\u001b(?:\[\d*m|\]0;title\\u0007)|\\u0000|\\r|\u200b/g,
    '',
  )
}

describe('a secret', () => {
  it('with control sequences in it is in no way out of a run', async () => {
    const code = createPrinter('__import__("os").environ["TOKEN"]')
    const files = { 'demo/skill.toml': SKILL_TOML, 'demo/show.py': code }
    const { runtime, call, run } = await createSession({ files })
    const params = { session: 's', skill: 'demo', command: 'python3 show.py' }
    const secrets = new Map([['TOKEN', SECRET]])
    const ran = await runtime.skillRun(params, { ...call, grants: { secrets } })
    expect(ran.stdout).toContain('<[redacted]>')
    const store = await runtime.runs()
    const handle = { artifactHandle: ran.run_id, view: 'raw' } as const
    const ways = [
      ran,
      await store.get(ran.run_id),
      await text(await store.logs(ran.run_id)),
      await runtime.queryOutput({ ...handle, queryTerms: ['<'] }),
    ]
    for (const each of ways) expect(readAll(each)).not.toContain(SECRET)
    // Control: another value, which is no secret of the run, is printed.
    const plain = await run(`TOKEN=${SECRET} python3 show.py`)
    expect(readAll(plain)).toContain(SECRET)
  })

  it('in a file is returned as it was written, and the answer says so', async () => {
    const { runtime, call, run } = await createSession({ files: { 'demo/skill.toml': SKILL_TOML } })
    const command = 'echo "${TOKEN:-none}" > $OUTPUT_DIR/a.txt'
    const params = { session: 's', skill: 'demo', command, output_files: ['out/*.txt'] }
    const secrets = new Map([['TOKEN', SECRET]])
    const ran = await runtime.skillRun(params, { ...call, grants: { secrets } })
    expect(ran.output_files[0]?.content).toBe(`${SECRET}\n`)
    expect(ran.warnings?.join()).toContain('secrets in them are not redacted')
    // Control: a command without secrets.
    const plain = await run(command, { output_files: ['out/*.txt'] })
    expect(plain.warnings?.join()).not.toContain('not redacted')
  })

  it('of a known shape is masked across control sequences', async () => {
    const { runtime, call } = await createSession()
    const code = `${createPrinter(JSON.stringify(TOKEN))}\ndef main():\n    return 1\n`
    const ran = await runtime.runCode({ language: 'python', code }, call)
    expect(ran.logs_preview).toContain('<[redacted]>')
    expect(readAll(ran)).not.toContain(TOKEN)
  })
})
