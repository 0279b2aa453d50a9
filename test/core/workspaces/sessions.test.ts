import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { LineBuffer } from '../../../src/core/workspaces/sessions/line-buffer.ts'
import { detectInteraction } from '../../../src/core/workspaces/sessions/interaction.ts'
import type { OnEnd } from '../../helpers/skills.ts'
import { createSession, openSession } from './in-workspace.ts'

/** A session of all tests that need no settings of their own. */
let shared: Awaited<ReturnType<typeof openSession>>
beforeAll(async () => {
  const ends: Parameters<OnEnd>[0][] = []
  shared = await openSession({}, (cleanUp) => ends.unshift(cleanUp))
  return async () => {
    for (const cleanUp of ends) await cleanUp()
  }
})

/** Counts processes of this machine whose command line contains the mark. */
function countProcesses(mark: string): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark)
    } catch {
      return false
    }
  }).length
}

describe('an interactive command', () => {
  it('reports a selection, accepts the answer and ends with its result', async () => {
    const { exec, write, poll } = shared
    const texts =
      'echo "1) one"; echo "2) two"; printf "Choose: "; read x; echo pick:$x > out/p; echo pick:$x'
    let view = await exec(texts, { output_files: ['out/p'] })
    expect(view).toMatchObject({
      status: 'running',
      output: '1) one\n2) two\nChoose: ',
      offset: 0,
      next_offset: 2,
      interaction: { needs_input: true, kind: 'selection', hint: 'Choose:' },
    })
    view = await write(view.session_id, { chars: '2', submit: true })
    let output = view.output ?? ''
    while (view.status === 'running') {
      view = await poll(view.session_id)
      output += view.output ?? ''
    }
    expect(output).toBe('pick:2\n')
    expect(view).toMatchObject({
      exit_code: 0,
      result: { output_files: [{ content: 'pick:2\n' }] },
    })
    expect((await poll(view.session_id)).result).toEqual(view.result)
  })

  it('is reported as waiting without any output, and not while it works', async () => {
    const { exec, poll, kill } = shared
    let view = await exec('sleep 1; read x', { yield_ms: 300 })
    expect(view.interaction).toBeUndefined()
    view = await poll(view.session_id)
    expect(view.interaction).toEqual({ needs_input: true })
    expect(await kill(view.session_id)).toMatchObject({ ok: true, status: 'killed' })
    await expect(poll(view.session_id)).rejects.toThrow(`unknown session_id: ${view.session_id}`)
  })

  it('has a terminal if one is requested', async () => {
    const { exec, write } = shared
    let view = await exec('test -t 0 && echo yes; read -p "name? " x; echo "<$x>"', { tty: true })
    expect(view).toMatchObject({
      output: 'yes\nname? ',
      interaction: { kind: 'prompt', hint: 'name?' },
    })
    view = await write(view.session_id, { chars: 'x', submit: true })
    expect(view.output).toContain('<x>')
  })

  it(
    'is killed with its whole process tree, even if it ignores signals',
    { tags: ['slow'] },
    async () => {
      const { exec, kill } = shared
      const mark = `tree-${process.pid}-${Date.now()}`
      const view = await exec(
        `trap "" TERM; (trap "" TERM HUP; setsid sh -c 'exec -a ${mark} sleep 600' & exec -a ${mark} sleep 600) & echo up; wait`.replaceAll(
          "sh -c 'exec",
          "bash -c 'exec",
        ),
      )
      expect(view.output).toBe('up\n')
      await kill(view.session_id)
      expect(countProcesses(mark)).toBe(0)
    },
  )

  it('returns every line once, for any number of lines per call', async () => {
    const { exec, poll } = shared
    let view = await exec('seq 1 100', { poll_lines: 30 })
    let output = ''
    const offsets: number[] = []
    for (;;) {
      offsets.push(view.offset)
      output += view.output ?? ''
      if (view.next_offset === 100) break
      view = await poll(view.session_id, { poll_lines: 30 })
    }
    expect(output).toBe(Array.from({ length: 100 }, (_, at) => `${at + 1}\n`).join(''))
    expect(new Set(offsets.filter((each) => each % 30 === 0)).size).toBeGreaterThanOrEqual(3)
  })

  it('is not accessible from another session, nor for another caller', async () => {
    const { exec, runtime, call, kill } = shared
    const { session_id: id } = await exec('read x')
    const other = { session: 'other', session_id: id }
    await expect(runtime.skillPollSession(other, call)).rejects.toThrow('unknown session_id')
    const foreign = { ...call, caller: { name: 'somebody' } }
    await expect(
      runtime.skillPollSession({ session: 's', session_id: id }, foreign),
    ).rejects.toThrow('unknown session_id')
    await kill(id)
    await expect(runtime.skillKillSession({ session: 's', session_id: '' }, call)).rejects.toThrow(
      'session_id is required',
    )
  })

  it('rejects input beyond what it reads', async () => {
    const { exec, write, kill } = shared
    const view = await exec('sleep 600', { yield_ms: 200 })
    const writeMuch = async () =>
      await write(view.session_id, { chars: 'x'.repeat(900_000), yield_ms: 50 })
    await writeMuch()
    await expect(writeMuch().then(writeMuch)).rejects.toThrow('does not read')
    await kill(view.session_id)
  })

  it('keeps a byte order mark and replaces invalid bytes', async () => {
    const { exec, poll } = shared
    let view = await exec("printf '\\xef\\xbb\\xbfbom \\xf0\\x9f'")
    let output = view.output ?? ''
    while (view.status === 'running') {
      view = await poll(view.session_id)
      output += view.output ?? ''
    }
    expect(output).toBe('\ufeffbom \ufffd')
  })

  it('is accessible only by its own tools', async () => {
    const { exec, shell, poll, kill, runtime, call } = shared
    const { session_id: ofSkill } = await exec('read x', { yield_ms: 300 })
    const { session_id: ofWorkspace = '' } = await shell('read x', { background: true })
    await expect(poll(ofWorkspace)).rejects.toThrow('unknown session_id')
    const write = { session: 's', session_id: ofSkill, chars: 'x' }
    await expect(runtime.writeStdin(write, call)).rejects.toThrow('unknown session_id')
    await kill(ofSkill)
    await kill(ofWorkspace)
  })

  it('that has ended rejects input', async () => {
    const { exec, write } = shared
    const view = await exec('true')
    expect(view).toMatchObject({ status: 'exited', exit_code: 0 })
    await expect(write(view.session_id, { chars: 'x' })).rejects.toThrow('session is not running')
  })

  it('is killed when it is idle', async () => {
    const { exec, runtime } = await createSession({
      bounds: { liveSessions: { idleMs: 50 } },
    })
    const mark = `idle-${process.pid}-${Date.now()}`
    await exec(`exec -a ${mark} sleep 600`, { yield_ms: 400 })
    await expect.poll(() => countProcesses(mark), { timeout: 20_000 }).toBeGreaterThan(0)
    await sleep(100)
    ;(await runtime.liveSessions()).sweep()
    for (let tries = 0; countProcesses(mark) > 0 && tries < 400; tries++) await sleep(50)
    expect(countProcesses(mark)).toBe(0)
  })

  it('is rejected beyond the maximum, and all of them end together', async () => {
    const { exec, runtime } = await createSession({ bounds: { liveSessions: { max: 2 } } })
    const mark = `many-${process.pid}-${Date.now()}`
    for (let at = 0; at < 2; at++) await exec(`exec -a ${mark} sleep 600`, { yield_ms: 300 })
    await expect(exec('true')).rejects.toMatchObject({ code: 'run/busy' })
    await (await runtime.liveSessions()).endAll()
    expect(countProcesses(mark)).toBe(0)
  })

  it('with output above its limit is buffered in bounded memory, and goes on', async () => {
    const { exec, poll } = await createSession({ settings: { 'run.limits.output': '256KiB' } })
    let view = await exec('yes | head -c 500000', { tty: true, yield_ms: 500 })
    while (view.status === 'running') view = await poll(view.session_id, { poll_lines: 20_000 })
    expect(view.exit_code).toBe(0)
    expect(view.result?.warnings?.join()).toContain('the command went on')
  })
})

describe('a workspace command', () => {
  it('starts in the root, merges its streams, and needs no skill', async () => {
    const { shell } = shared
    const ran = await shell('pwd; printf a; printf b >&2')
    expect(ran).toMatchObject({
      status: 'exited',
      output: '/workspace\nab',
      exit_code: 0,
      total_bytes: 13,
    })
    expect(ran).not.toHaveProperty('session_id')
  })

  it('can read loaded skills and files of their commands', async () => {
    const { shell, run, runtime, call } = await createSession()
    expect((await shell('ls skills')).output).toBe('')
    await runtime.skillLoad({ session: 's', skill: 'demo' }, call)
    await run('echo x > out/a')
    expect((await shell('ls skills; cat out/a', { cwd: '/' })).output).toBe('demo\nx\n')
    expect((await shell('pwd', { cwd: 'skills/demo' })).output).toBe('/workspace/skills/demo\n')
  })

  it('continues between calls on request', async () => {
    const { shell, runtime, call } = shared
    const begun = await shell('read x; echo got:$x', { background: true })
    const id = begun.session_id ?? ''
    expect(begun.status).toBe('running')
    let view = await runtime.writeStdin(
      { session: 's', session_id: id, chars: 'q', append_newline: true, yield_time_ms: 20_000 },
      call,
    )
    let output = view.output ?? ''
    while (view.status === 'running') {
      view = await runtime.writeStdin({ session: 's', session_id: id, yield_time_ms: 5000 }, call)
      output += view.output ?? ''
    }
    expect(output).toBe('got:q\n')
    await expect(runtime.kill({ session: 's', session_id: id }, call)).rejects.toThrow(
      'unknown session_id',
    )
  })

  it('runs as a skill, in its folder, and returns files', async () => {
    const { shell, runtime, call } = shared
    const more = { skill: 'demo', outputs: ['out/*.txt'] }
    const ran = await shell('pwd; echo $SKILL_NAME; printf hi > out/of-skill.txt', more)
    expect(ran).toMatchObject({ status: 'exited', exit_code: 0 })
    expect(ran.output).toBe('/workspace/skills/demo\ndemo\n')
    const file = { name: 'out/of-skill.txt', content: 'hi', ref: 'workspace://out/of-skill.txt' }
    expect(ran.output_files).toMatchObject([file])
    const begun = await shell('read x; printf $x > out/of-skill.txt', { ...more, background: true })
    const { session_id: id = '' } = begun
    const write = { session: 's', session_id: id, chars: 'yo', append_newline: true }
    const ended = await runtime.writeStdin({ ...write, yield_time_ms: 20_000 }, call)
    expect(ended).toMatchObject({ status: 'exited', output_files: [{ ...file, content: 'yo' }] })
    expect((await shell('true')).output_files).toBeUndefined()
    await expect(shell('true', { skill: 'demo', require_load: true })).rejects.toThrow(
      'requires skill_load first',
    )
    await expect(shell('true', { skill: 'none' })).rejects.toThrow('none')
  })

  it('returns the beginning and the end of a long output', async () => {
    const ran = await shared.shell('echo first; head -c 200000 /dev/zero | tr "\\0" é; echo last')
    expect(ran).toMatchObject({ truncated: true, total_bytes: 200_011 })
    expect(ran.output).toMatch(/^first\n[^]*\n\.\.\.\[output truncated\]\.\.\.\n[^]*last\n$/)
    expect(Buffer.byteLength(ran.output ?? '')).toBeLessThan(34_000)
    const given = JSON.stringify({ artifactHandle: ran.run_id })
    expect(ran.warnings).toEqual([
      `output truncated: read the rest with runtime.queryOutput ${given}`,
    ])
  })

  it.each([
    ['out/*', 'cwd must not contain glob patterns'],
    ['../x', 'cwd must stay within the workspace'],
    ['/etc', 'cwd must stay under supported workspace roots'],
    ['$HOME', 'cwd must stay within the workspace'],
  ])('does not start in %s', async (cwd, why) => {
    await expect(shared.shell('true', { cwd })).rejects.toThrow(why)
  })
})

describe('the line buffer', () => {
  it('numbers lines over the whole output, and returns each once', () => {
    const lines = new LineBuffer()
    lines.add('one\ntw')
    expect(lines.read(10)).toEqual({ output: 'one\ntw', offset: 0, nextOffset: 1 })
    lines.add('o\r\nthree\n')
    expect(lines.read(1)).toEqual({ output: 'o\n', offset: 1, nextOffset: 2 })
    expect(lines.read(10)).toEqual({ output: 'three\n', offset: 2, nextOffset: 3 })
    expect(lines.read(10)).toEqual({ output: '', offset: 3, nextOffset: 3 })
  })

  it('keeps line ends and surrogate pairs together, for any chunks', () => {
    const lines = new LineBuffer()
    lines.add('a\r')
    expect(lines.read(10)).toEqual({ output: 'a', offset: 0, nextOffset: 0 })
    lines.add('\nb')
    expect(lines.read(10)).toEqual({ output: '\nb', offset: 0, nextOffset: 1 })
    const raw = new LineBuffer()
    raw.add('a\r')
    raw.add('\nb\n')
    expect(raw.read(10, true).output).toBe('a\r\nb\n')
    const long = `x${'🎉'.repeat(100_000)}`
    const cut = new LineBuffer()
    cut.add(long)
    let combined = ''
    for (let at = 0; at < 10; at++) {
      const { output } = cut.read(1)
      expect(output).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/)
      combined += output
    }
    expect(combined === long).toBe(true)
  })

  it('drops the oldest lines beyond its maximum', () => {
    const lines = new LineBuffer()
    lines.add(Array.from({ length: 20_003 }, (_, at) => `${at}\n`).join(''))
    expect(lines.read(2)).toEqual({ output: '3\n4\n', offset: 3, nextOffset: 5 })
    lines.add('x'.repeat(3_000_000))
    expect(lines.tail(1).join('').length).toBeLessThan(200_000)
  })
})

describe('the expected input of a program', () => {
  it.each([
    [['Name: '], 'prompt', 'Name:'],
    [['Wählen Sie', ' 1. eins', ' 2. zwei', '> '], 'selection', '>'],
    [['\u001b[32m? Pick a color\u001b[0m', '❯ 1) red', '  2) blue'], 'selection', '2) blue'],
    [['パスワードを入力してください'], 'prompt', 'パスワードを入力してください'],
  ])('is detected from %j', (lines, kind, hint) => {
    expect(detectInteraction(lines, true)).toEqual({ needs_input: true, kind, hint })
    expect(detectInteraction(lines, false)).toBeUndefined()
  })
})
