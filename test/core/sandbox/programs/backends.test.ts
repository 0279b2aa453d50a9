// @module-tag slow
// @module-tag nightly
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { runProgram, buildShellArgv, type ProgramRun } from '../../runs/run-program.ts'

const env = { PATH: process.env['PATH'], DOCKER_HOST: process.env['DOCKER_HOST'] }
const ROWS = [
  { name: 'namespaces', engine: 'auto' },
  { name: 'bubblewrap', engine: 'auto' },
  { name: 'container', engine: 'podman' },
  { name: 'container', engine: 'docker' },
  { name: 'process', engine: 'auto' },
] as const
const found = await Promise.all(
  ROWS.map(async (row) => {
    const backend = await new Sandboxes().openBackend(row.name)
    const here = await backend.probe(env, {
      engine: row.engine,
      runtime: 'default',
      image: undefined,
    })
    const isRefused = process.getuid?.() !== 0 && row.name === 'container'
    return { ...row, mounts: row.name !== 'process' && !isRefused, here }
  }),
)

describe.each(found)('programs on $name by $engine', ({ name, engine, here, mounts }) => {
  const test = it.skipIf(!here.ok)
  const why = here.ok ? '' : ` (not run: ${here.detail})`
  const run = async (argv: readonly string[], more: ProgramRun = {}) =>
    await runProgram(argv, {
      ...more,
      settings: { 'run.backend': name, 'run.container.engine': engine, ...more.settings },
      call: { env, ...more.call },
    })
  const keep = () => {
    const dir = join(mkdtempSync('/tmp/skills-programs-'), 'kept')
    mkdirSync(dir, { mode: 0o700 })
    return dir
  }

  test(`have streams and exit codes, and read stdin${why}`, async () => {
    const ran = await run(buildShellArgv('cat; echo err > /dev/stderr; exit 4'), {
      plan: { stdin: Buffer.from('typed') },
    })
    expect(ran).toMatchObject({ exitCode: 4, stdout: 'typed', stderr: 'err\n' })
    expect(ran.isolation?.backend).toBe(name)
  })

  test(`are distinguished from missing programs${why}`, async () => {
    expect((await run(['/no/such'])).error?.type).toBe('NotStarted')
  })

  test(`have a terminal if requested${why}`, async () => {
    const argv = ['/bin/bash', '-c', 'tty -s && stty size; read x; echo "<$x>"']
    const terminal = { columns: 90, rows: 30 }
    const ran = await run(argv, {
      plan: { program: { argv, cwd: '/workspace', env: {}, terminal } },
      during: async ({ stdin, isWaiting }) => {
        while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 20))
        stdin?.write('x\n')
      },
    })
    expect(ran.stdout).toBe('30 90\r\nx\r\n<x>\r\n')
  })

  test(`are killed at their timeout with all descendants${why}`, async () => {
    const ran = await run(
      buildShellArgv('trap "" TERM INT; (trap "" TERM; sleep 600) & echo up; wait'),
      {
        plan: { limits: { wallMs: 1500 } },
      },
    )
    expect(ran).toMatchObject({ status: 'timeout', stdout: 'up\n' })
  })

  it.skipIf(!here.ok || (name === 'container' && !mounts))(`keep a workspace${why}`, async () => {
    const workspace = { source: keep() }
    await run(buildShellArgv('echo 1 > a'), { plan: { workspace } })
    const ran = await run(buildShellArgv('cat a; echo 2 >> a'), { plan: { workspace } })
    expect(ran).toMatchObject({ status: 'success', stdout: '1\n' })
    expect(readFileSync(join(workspace.source, 'a'), 'utf8')).toBe('1\n2\n')
  })

  it.skipIf(!here.ok || (name === 'container' && !mounts))(
    `have mounted folders, or report why not${why}`,
    async () => {
      const source = createFolder({ 'a.txt': 'of the host' })
      const folders = (['read-only', 'overlay'] as const).map((mode, at) => ({
        source,
        target: `/given-${at}`,
        mode,
      }))
      const ran = run(
        buildShellArgv(
          'cat /given-0/a.txt; echo x > /given-1/a.txt && cat /given-1/a.txt; echo x > /given-0/a.txt',
        ),
        {
          plan: { folders },
        },
      )
      if (!mounts) return await expect(ran).rejects.toThrow('cannot mount folders into a run')
      expect((await ran).stdout).toBe('of the hostx\n')
      expect(readFileSync(join(source, 'a.txt'), 'utf8')).toBe('of the host')
    },
  )
})
