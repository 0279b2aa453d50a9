import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { saveBlobs } from '../../src/core/runs/protocol/save-blobs.ts'
import { TEMPLATES } from '../../src/core/skills/scaffold/templates.ts'
import { createRuntime, loadConfig } from '../../src/index.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const INPUTS = `
[inputs]
name = { type = "string", required = true }
count = { type = "integer", default = 3 }
loud = { type = "boolean", default = false }
tone = { type = "string", enum = ["kind", "dry"] }
tags = { type = "array" }
text = { type = "blob" }
`
const ECHO = 'def main(args):\n    print("said")\n    return args\n'

function project(code = ECHO, toml = INPUTS) {
  const skill = { ...createActionSkill('demo.echo', { toml }), 'code/main.py': code }
  return createFolder({
    ...prefixPaths('skills/echo', skill),
    'args.json': '{"name": "file"}',
    'a.txt': 'abc',
  })
}

describe('skills exec', () => {
  it('writes the returned value to stdout and printed text to stderr', async () => {
    const ran = await runSkills(['exec', 'demo.echo', '--arg', 'name=x'], { cwd: project() })
    expect(ran).toMatchObject({ code: 0, stderr: 'said\n' })
    expect(ran.json()).toEqual({ name: 'x', count: 3, loud: false })
  })

  it.each([
    [['--args', '{"name":"a"}'], { name: 'a' }],
    [['--args', '@args.json'], { name: 'file' }],
    [['--args', '-'], { name: 'stdin' }],
    [['--args', '{"name":"a"}', '--arg', 'name=b'], { name: 'b' }],
    [
      ['--arg', 'name=1', '--arg', 'count=7', '--arg', 'loud=true'],
      { name: '1', count: 7, loud: true },
    ],
    [['--arg', 'name=a=b', '--arg', 'tags=["x"]'], { name: 'a=b', tags: ['x'] }],
    [['--arg', 'name='], { name: '' }],
  ])('accepts %j', async (args, expected) => {
    const at = { cwd: project(), stdin: '{"name":"stdin"}' }
    const ran = await runSkills(['exec', './skills/echo', '--quiet', ...args], at)
    expect(ran.stderr).toBe('')
    expect(ran.json()).toMatchObject(expected)
  })

  it.each([
    [['--arg', 'count=x'], 'Expected an integer for "count", got "x"'],
    [['--arg', 'loud=yes'], 'Expected true or false for "loud", got "yes"'],
    [['--arg', 'name'], 'Expected --arg key=value, got "name"'],
    [['--arg', 'name=a', '--arg', 'name=b'], 'The argument "name" is given twice'],
    [['--arg', 'nme=x'], 'Unknown argument "nme"\n  → Did you mean "name"?'],
    [['--arg', 'name=a', '--arg', 'lod=true'], '"lod"\n  → Did you mean "loud"?'],
    [['--args', '{"name":"a","__proto__":1}'], 'Unknown argument "__proto__"'],
    [['--arg', 'name=a', '--blob', 'txt=a.txt'], '"txt"\n  → Did you mean "text"?'],
    [['--arg', 'name=a', '--arg', 'zebra=x'], 'The skill takes "name", "count", "loud"'],
    [['--args', '[1]'], 'Expected a JSON object for --args, got an array'],
    [['--args', '{'], 'Cannot parse --args'],
    [['--timeout', 'soon'], 'Expected a duration for --timeout, got "soon"'],
    [['--timeout', '20m'], 'Expected a timeout of 1 ms to 10 minutes, got 20 minutes'],
    [['--secret', 'NOPE'], '"demo.echo" does not declare the secret "NOPE"'],
    [['--backend', 'nothing'], 'nothing'],
    [['--require-isolation', 'some'], 'some'],
    [
      ['--args', '-', '--blob', 'text=-'],
      'Cannot read standard input for --args and --blob text=-',
    ],
    [['--blob', 'text'], 'Expected --blob key=file, got "text"'],
    [['--arg', 'name=a', '--blob', 'name=a.txt'], 'The argument "name" is given twice'],
  ])('rejects %j', async (args, message) => {
    const ran = await runSkills(['exec', 'demo.echo', ...args], { cwd: project() })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  it.each([
    ['no declared inputs', ''],
    ['additional_inputs = true', `additional_inputs = true\n${INPUTS}`],
  ])('passes any argument to a skill with %s', async (_, toml) => {
    const args = ['--quiet', '--arg', 'name=a', '--arg', 'other=5', '--arg', '__proto__=x']
    const ran = await runSkills(['exec', 'demo.echo', ...args], { cwd: project(ECHO, toml) })
    expect(ran.stderr).toBe('')
    expect(ran.json()).toMatchObject({ name: 'a', other: '5' })
  })

  it.each([
    ['1', '1 second'],
    ['1500ms', '1500 ms'],
  ])('ends a run after --timeout %s and says %s', async (timeout, spelt) => {
    const cwd = project('import time\ndef main(args):\n    time.sleep(60)\n', '')
    const ran = await runSkills(['exec', 'demo.echo', '--timeout', timeout], { cwd })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(`Timeout: The run took longer than ${spelt}\n`)
  })

  it('suggests a command if the skill is missing, and never repeats a secret value', async () => {
    const none = await runSkills(['exec'])
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('Missing the skill: a name, name@version, or a folder')
    const args = ['exec', 'demo.echo', '--secret', 'TOKEN=hunter2']
    const rejected = await runSkills(args, { cwd: project() })
    expect(rejected.code).toBe(2)
    expect(rejected.stderr).toContain('Expected only a name for --secret')
    expect(rejected.stderr).toContain('"TOKEN"')
    expect(rejected.stderr).not.toContain('hunter2')
  })

  it.each([
    [[], 'The required argument "name" is missing'],
    [['--args', '{"name":5}'], 'The argument "name" must be a string, got 5'],
    [['--arg', 'name=a', '--arg', 'tone=rude'], 'must be one of "kind", "dry", got "rude"'],
    [['--arg', 'name=a', '--arg', 'text=nothing'], 'must be the id of a blob, got "nothing"'],
  ])('fails with ValidationError for %j', async (args, message) => {
    const ran = await runSkills(['exec', 'demo.echo', '--json', ...args], { cwd: project() })
    expect(ran.code).toBe(1)
    expect(ran.json()).toMatchObject({ status: 'failed', error: { type: 'ValidationError' } })
    expect((ran.json()['error'] as { message: string }).message).toContain(message)
  })

  it('shows a failure with its traceback and exits with 1', async () => {
    const cwd = project('def main(args):\n    raise ValueError("bad luck")\n', '')
    const ran = await runSkills(['exec', 'demo.echo'], { cwd })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('ValueError: bad luck')
    expect(ran.stderr).toBe(
      'failed: ValueError: bad luck\n  skills/echo/code/main.py:2 in main\n    raise ValueError("bad luck")\n',
    )
  })

  it('shows the position of a syntax error, without internal frames', async () => {
    const ran = await runSkills(['exec', 'demo.echo'], {
      cwd: project('def main(args) return 1\n', ''),
    })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(
      /^failed: SyntaxError: .*\n {2}skills\/echo\/code\/main\.py:1\n {4}def main/,
    )
    expect(ran.stderr).not.toMatch(/importlib|\/guest\//)
  })

  it('reports an --allow-network without effect', async () => {
    const args = ['exec', 'demo.echo', '--arg', 'name=x', '--allow-network']
    const ran = await runSkills(args, { cwd: project() })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('--allow-network has no effect')
  })

  it('accepts a manifest for its folder, and the name of a folder', async () => {
    const cwd = project('def main(args):\n    return 1\n', '')
    for (const path of ['skills/echo/skill.toml', './skills/echo/SKILL.md', 'skills/echo/']) {
      expect(await runSkills(['exec', path], { cwd })).toMatchObject({ code: 0, stdout: '1\n' })
    }
    const named = await runSkills(['exec', 'echo'], { cwd: join(cwd, 'skills') })
    expect(named).toMatchObject({ code: 0, stdout: '1\n' })
  })

  it('exits with 3 if there is nothing to run', async () => {
    const cwd = project()
    expect((await runSkills(['exec', 'demo.nothing'], { cwd })).code).toBe(3)
    const guide = await runSkills(['exec', 'skills.protocol.guide'], { cwd })
    expect(guide).toMatchObject({ code: 3 })
    expect(guide.stderr).toContain('instruction skill')
    const blob = ['exec', 'demo.echo', '--arg', 'name=a', '--input-blob', 'blob:none']
    expect((await runSkills(blob, { cwd })).stderr).toContain('Unknown blob "blob:none"')
    expect((await runSkills(blob, { cwd })).code).toBe(3)
    const none = await runSkills(['exec', 'demo.echo', '--arg', 'name=a'], {
      cwd,
      env: { PATH: cwd },
    })
    expect(none).toMatchObject({ code: 3, stdout: '' })
  })

  it('passes files as blobs and saves the blobs of the run', async () => {
    const code =
      'from runtime import blobs\n\ndef main(args):\n    text = blobs.read_text(args["text"])\n    made = blobs.write_text(text.upper())\n    assert open("/blobs/" + args["text"]).read() == text\n    return {"made": made, "again": blobs.read_text(made)}\n'
    const cwd = project(code, '')
    const args = ['exec', 'demo.echo', '--blob', 'text=a.txt', '--out', 'results', '--json']
    const { code: exit, json } = await runSkills(args, { cwd })
    expect(exit).toBe(0)
    const { output, output_blobs: created } = json() as { output: object; output_blobs: string[] }
    expect(output).toEqual({ made: created[0], again: 'ABC' })
    const [file = ''] = readdirSync(join(cwd, 'results'))
    expect(file).toBe(`${created[0]?.slice(5)}.txt`)
    expect(readFileSync(join(cwd, 'results', file), 'utf8')).toBe('ABC')
  })

  it('gives a run access to its input blobs only', async () => {
    const code =
      'import os\nfrom runtime import blobs\n\ndef main(args):\n    seen = sorted(os.listdir("/blobs"))\n    try:\n        blobs.read_text(args["other"])\n    except FileNotFoundError:\n        return seen\n'
    const cwd = project(code, '')
    const env = { HOME: createFolder() }
    const args = ['exec', 'demo.echo', '--json']
    const first = await runSkills([...args, '--blob', 'other=a.txt'], { cwd, env })
    expect(first.json()['output']).toBeNull()
    const [id = ''] = readdirSync(join(env.HOME, '.local/share/skills/blobs'))
    const second = await runSkills([...args, '--arg', `other=blob:${id}`], { cwd, env })
    expect(second.json()['output']).toEqual([])
  })
})

describe('a large output', () => {
  const code = 'def main(args):\n    return {"summary": "Large", "rows": list(range(5000))}\n'

  it('is printed completely and stored as a blob, which --out saves', async () => {
    const cwd = project(code, '')
    const ran = await runSkills(['exec', 'demo.echo', '--out', 'results/deep'], { cwd })
    const rows = Array.from({ length: 5000 }, (_, row) => row)
    expect(ran.json()).toEqual({ summary: 'Large', rows })
    const [file = ''] = readdirSync(join(cwd, 'results/deep'))
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Saved .+\n$/) as string })
    expect(ran.stderr).toContain(`Saved results/deep/${file} (application/json, `)
    expect(JSON.parse(readFileSync(join(cwd, 'results/deep', file), 'utf8'))).toEqual(ran.json())
  })

  it('is a reference to the blob in JSON', async () => {
    const ran = await runSkills(['exec', 'demo.echo', '--json'], { cwd: project(code, '') })
    const { output, output_blobs: blobs } = ran.json()
    expect(output).toEqual({
      truncated: true,
      blob_id: (blobs as string[])[0],
      size_bytes: expect.any(Number) as number,
    })
  })

  it('is printed unchanged if it only resembles a reference', async () => {
    const forged =
      'def main(args):\n    return {"truncated": True, "blob_id": "blob:' + '0'.repeat(32) + '"}\n'
    const ran = await runSkills(['exec', 'demo.echo'], { cwd: project(forged, '') })
    expect(ran.json()).toEqual({ truncated: true, blob_id: `blob:${'0'.repeat(32)}` })
  })

  it('is named on stderr if it is not saved, unless --quiet', async () => {
    const cwd = project(code, '')
    const ran = await runSkills(['exec', 'demo.echo'], { cwd })
    expect(ran.stderr).toMatch(/^Created blob:[0-9a-f]{32} \(application\/json, 23\.4 KiB\)\n$/)
    expect((await runSkills(['exec', 'demo.echo', '-q'], { cwd })).stderr).toBe('')
  })
})

describe('--out', () => {
  const code =
    'import os\nfrom runtime import blobs\n\ndef main(args):\n    made = blobs.write_text("made")\n    if args.get("fail"): raise ValueError("after the blob")\n    return made\n'

  it('does not start a run whose blobs could not be saved', async () => {
    const cwd = project('def main(args):\n    print("ran")\n', '')
    for (const out of ['a.txt', 'a.txt/below']) {
      const ran = await runSkills(['exec', 'demo.echo', '--out', out], { cwd })
      expect(ran).toMatchObject({ code: 3, stdout: '' })
      expect(ran.stderr).toContain(`Cannot create the folder "${out}"`)
      expect(ran.stderr).not.toContain('ran\n')
    }
  })

  it('saves the blobs of a failed run', async () => {
    const cwd = project(code, '')
    const ran = await runSkills(['exec', 'demo.echo', '--arg', 'fail=1', '--out', '.', '--json'], {
      cwd,
    })
    const { status, saved } = ran.json() as { status: string; saved: string[] }
    expect({ status, code: ran.code }).toEqual({ status: 'failed', code: 1 })
    expect(readFileSync(join(cwd, saved[0] ?? ''), 'utf8')).toBe('made')
  })

  it('overwrites nothing', async () => {
    const cwd = project(code, '')
    const env = { HOME: createFolder() }
    const ran = await runSkills(['exec', 'demo.echo', '--out', 'out', '--json'], { cwd, env })
    const { config } = await loadConfig({ cwd, env })
    const store = await createRuntime({ config, cacheDir: null }).blobs()
    const ids = ran.json()['output_blobs'] as string[]
    await expect(saveBlobs(store, ids, { cwd, dir: 'out' })).rejects.toMatchObject({
      code: 'store/unavailable',
      message: `Cannot save the blob "${ids[0]}" in "out"`,
    })
  })

  it.each([[[]], [['--json']]])('keeps the result if saving fails %j', async (more) => {
    const cwd = project('def main(args):\n    print("up")\n    return "result"\n', '')
    const replaceFolder = (text: string) => {
      if (text !== 'up\n') return
      rmSync(join(cwd, 'out'), { recursive: true })
      writeFileSync(join(cwd, 'out'), '')
    }
    const argv = ['exec', 'demo.echo', '--out', 'out', ...more]
    const ran = await runSkills(argv, { cwd, onStderr: replaceFolder })
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('error Cannot create the folder "out"')
    const shown = JSON.parse(ran.stdout) as unknown
    if (more.length === 0) expect(shown).toBe('result')
    else expect(shown).toMatchObject({ error: { data: { run: { output: 'result' } } } })
  })
})

describe('secrets', () => {
  const declared = '\n[permissions]\nsecrets = ["API_TOKEN"]\n'
  const value = 's3cret/with+chars=?&"x"'
  const leak =
    'import base64, os, sys, urllib.parse\n\ndef main(args):\n    v = os.environ["API_TOKEN"]\n    b = v.encode()\n    forms = [v, base64.b64encode(b).decode(), base64.b64encode(b"user:" + b).decode(), b.hex(), urllib.parse.quote(v), urllib.parse.quote_plus(v), urllib.parse.quote(v, safe="")]\n    for form in forms: print(form, file=sys.stderr)\n    sys.stdout.write(v[:5]); sys.stdout.flush(); print(v[5:])\n    if args.get("fail"): raise ValueError(v)\n    return {"summary": v, "forms": forms, v: 1, "size": len(v)}\n'

  it('reach the skill and are redacted in every encoding', async () => {
    const cwd = project(leak, declared)
    const env = { API_TOKEN: value }
    for (const args of [[], ['--json'], ['--arg', 'fail=1'], ['--arg', 'fail=1', '--json']]) {
      const ran = await runSkills(['exec', 'demo.echo', '--secret', 'API_TOKEN', ...args], {
        cwd,
        env,
      })
      const all = ran.stdout + ran.stderr
      expect(all).toContain('[redacted]')
      const bytes = Buffer.from(value)
      for (const form of [
        value,
        JSON.stringify(value).slice(1, -1),
        bytes.toString('hex'),
        bytes.toString('base64'),
        encodeURIComponent(value),
        value.slice(6),
      ]) {
        expect(all).not.toContain(form)
      }
      if (args.length === 0) expect(all).toContain(`"size": ${value.length}`)
    }
  })

  it('can come from a file, and missing ones are logged', async () => {
    const cwd = project(
      'import os\ndef main(args):\n    return len(os.environ.get("API_TOKEN", ""))\n',
      declared,
    )
    const file = join(
      createFolder({ 'secrets.env': '# mine\nAPI_TOKEN="abcdef"\nOTHER=x\n' }),
      'secrets.env',
    )
    const withFile = await runSkills(['exec', 'demo.echo', '--secrets-file', file], { cwd })
    expect(withFile).toMatchObject({ code: 0, stdout: '6\n' })
    const without = await runSkills(['exec', 'demo.echo'], { cwd, env: { API_TOKEN: 'abc' } })
    expect(without).toMatchObject({ code: 0, stdout: '0\n' })
    expect(without.stderr).toContain('The secret API_TOKEN is declared but not configured')
  })
})

describe('templates', () => {
  it.each(TEMPLATES.filter(({ kind }) => kind === 'action').map((each) => [each.id]))(
    'the example call of %s runs',
    { tags: ['slow'] },
    async (id) => {
      const cwd = createFolder()
      const created = await runSkills(['new', 'demo.sample', '--template', id, '--yes', '--json'], {
        cwd,
      })
      const next = created.json()['next'] as string[]
      const line = next.find((each) => each.startsWith('skills exec')) ?? ''
      const ran = await runSkills(line.split(' ').slice(1), { cwd })
      expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({
        code: 0,
        stderr: '',
      })
      expect(ran.json()['summary']).toMatch(/\w/)
    },
  )

  it('the template without code exits with 3', async () => {
    const cwd = createFolder()
    await runSkills(['new', 'demo.sample', '--template', 'instruction', '--yes'], { cwd })
    expect((await runSkills(['exec', 'demo.sample'], { cwd })).code).toBe(3)
  })

  it('a run without network reports that', async () => {
    const cwd = createFolder()
    await runSkills(['new', 'demo.net', '--template', 'python-network', '--yes'], { cwd })
    const args = ['exec', 'demo.net', '--arg', 'city=Oslo', '--arg', 'dry_run=true']
    const { stderr } = await runSkills(args, { cwd })
    expect(stderr).toContain('This run has no network')
  })
})
