// @module-tag slow
// @module-tag nightly
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { SessionFleet, waitUntil } from './session-fleet.ts'

describe('a session whose worker is killed', () => {
  it('continues on another worker with the files of its snapshot', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.write('work/plan.md', 'first')
    const command =
      'mkdir -p work/a/b && echo two > work/a/b/c && ln -s a/b work/link && chmod 700 work/a'
    await fleet.exec(command)
    const before = await fleet.readSnapshot()
    const home = await fleet.findHome()
    await fleet.kill(home)
    const read = await fleet.read('work/plan.md', 1)
    expect(read).toMatchObject({ content: 'first' })
    expect(read['warnings']).toEqual([
      `The worker "${home}" of this session is gone: its files were restored from the snapshot of ${before.at}, later changes may be lost, and commands that were running, background processes and kernels are gone`,
    ])
    expect(await fleet.exec('cat work/link/c; stat -c %a work/a')).toBe('two\n700\n')
    expect(await fleet.readHome()).toMatchObject({ generation: 2 })
    expect(await fleet.findHome()).not.toBe(home)
    expect((await fleet.read('work/plan.md'))['warnings']).toBeUndefined()
  })

  it('continues after the end of each of several homes', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    for (let generation = 1; generation <= 2; generation++) {
      await fleet.write(`work/${generation}`, String(generation))
      expect(await fleet.readHome()).toMatchObject({ generation })
      const home = await fleet.findHome()
      await fleet.kill(home)
      await fleet.startWorker(home)
    }
    const { output } = await fleet.call('workspace_exec', { command: 'cd work && cat 1 2' })
    expect(output).toBe('12')
  })

  it('loses only the command that ran', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.write('work/kept', 'acknowledged')
    const home = await fleet.findHome()
    const started = fleet.exec('echo lost > work/lost; touch work/begun; sleep 60')
    const failed = expect(started).rejects.toMatchObject({ code: 'run/interrupted' })
    await waitUntil(() => existsSync(`${fleet.folder(home)}/root/work/begun`))
    await fleet.kill(home)
    await failed
    expect(await fleet.exec('ls work')).toBe('inputs\nkept\n')
  })

  it('gets the last acknowledged snapshot if it was storing another one', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.write('work/kept', 'acknowledged')
    const home = await fleet.findHome()
    const started = fleet.exec('touch work/begun; sleep 2; touch work/lost')
    const failed = expect(started).rejects.toMatchObject({ code: 'run/interrupted' })
    const work = `${fleet.folder(home)}/root/work`
    await waitUntil(() => existsSync(`${work}/begun`))
    fleet.server.process.kill('SIGSTOP')
    await waitUntil(() => existsSync(`${work}/lost`))
    await fleet.kill(home)
    fleet.server.process.kill('SIGCONT')
    await failed
    const { entries } = await fleet.call('workspace_list', { path: 'work' }, 1)
    expect((entries as { path: string }[]).map(({ path }) => path)).toEqual([
      'work/inputs',
      'work/kept',
    ])
  })

  it('answers session/lost once if it has no snapshot', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.call('workspace_list')
    const home = await fleet.findHome()
    await fleet.kill(home)
    await expect(fleet.call('workspace_list')).rejects.toMatchObject({ code: 'session/lost' })
    await expect(fleet.call('workspace_list')).resolves.toHaveProperty('entries')
  })

  it('answers session/lost for a command that ran there, until it continues elsewhere', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.write('work/file', 'there\n')
    const { session_id: id } = await fleet.call('workspace_exec', {
      command: 'read line; echo "got $line"',
      yield_time_ms: 1000,
    })
    await fleet.kill(await fleet.findHome())
    const write = async () =>
      await fleet.call('write_stdin', {
        session_id: id,
        chars: 'x',
        append_newline: true,
      })
    await expect(write()).rejects.toMatchObject({ code: 'session/lost' })
    await expect(write()).rejects.toMatchObject({ code: 'session/lost' })
    expect(await fleet.exec('cat work/file')).toBe('there\n')
    await expect(write()).rejects.toThrow('unknown session_id')
  })
})

describe('a kernel whose worker is killed', () => {
  it('answers session/lost once, and then begins again', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    const cell = async (code: string) =>
      await fleet.callPlain('run_code', { kernel: 'k', language: 'python', code })
    await cell('x = 1')
    const [node] = await fleet.listKernelHomes()
    await fleet.kill(node as string)
    await expect(fleet.callPlain('kernel', { action: 'list' })).rejects.toMatchObject({
      code: 'session/lost',
    })
    expect(await fleet.callPlain('kernel', { action: 'list' })).toEqual({ kernels: [] })
  })
})

describe('two fronts', () => {
  it('give a session one home, in which both see the changes of each other', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await Promise.all(
      Array.from({ length: 8 }, async (_, at) => await fleet.write(`work/${at}`, 'x', at % 2)),
    )
    expect(await fleet.readHome()).toMatchObject({ generation: 1 })
    const paths = await fleet.listSnapshot()
    expect(paths).toEqual(Array.from({ length: 8 }, (_, at) => `work/${at}`))
  })

  it('move a session once after the end of its worker', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2', 'w3'])
    await fleet.write('work/file', 'x')
    await fleet.kill(await fleet.findHome())
    const reads = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => await fleet.read('work/file', at % 2)),
    )
    expect(reads.map(({ content }) => content)).toEqual(Array(6).fill('x'))
    expect(reads.filter(({ warnings }) => warnings !== undefined)).toHaveLength(1)
    expect(await fleet.readHome()).toMatchObject({ generation: 2 })
  })
})

describe('a worker that was stopped while another one got its session', () => {
  it('loses its changes, and the session continues without them', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.write('work/file', 'old')
    const home = await fleet.findHome()
    const stopped = fleet.workers.get(home)
    const failed = expect(
      fleet.exec('sleep 2; echo stale > work/file; cat work/file'),
    ).rejects.toMatchObject({ code: 'run/interrupted' })
    await sleep(500)
    stopped?.kill('SIGSTOP')
    await failed
    await fleet.write('work/file', 'new', 1)
    stopped?.kill('SIGCONT')
    // The worker removes what it has of the session when it learns that it lost it.
    await waitUntil(() => !existsSync(fleet.folder(home)))
    expect(await fleet.read('work/file')).toMatchObject({ content: 'new' })
    expect(await fleet.readHome()).toMatchObject({ generation: 2 })
  })
})

it('code, kernels and programs of any front work in the files of the session', async () => {
  const fleet = await SessionFleet.start(['w1', 'w2', 'w3'])
  await fleet.write('work/a.txt', 'from a command')
  const code = { language: 'python', code: 'def main(args):\n  return open("work/a.txt").read()' }
  for (const front of [0, 1, 0, 1]) {
    const { output } = await fleet.call('run_code', code, front)
    expect(output).toBe('from a command')
  }
  const cell = { language: 'python', kernel: 'k', code: 'open("work/b.txt", "w").write("cell")' }
  await fleet.call('run_code', cell, 1)
  expect(await fleet.call('kernel', { action: 'list' }, 0)).toMatchObject({
    kernels: [{ kernel: 'k', cells: 1 }],
  })
  const program = { runtime: 'shell', code: 'cat work/b.txt', outputMode: 'summary' }
  expect(await fleet.call('runtime.execute', program, 1)).toMatchObject({ stdoutSummary: 'cell' })
  const home = await fleet.findHome()
  await fleet.kill(home)
  expect(await fleet.read('work/b.txt', 1)).toMatchObject({ content: 'cell' })
})
