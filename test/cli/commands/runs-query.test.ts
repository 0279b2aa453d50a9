import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { startTestServer } from '../../helpers/server.ts'

const NOISY =
  'import sys\ndef main(args):\n    for n in range(1, 31):\n        print(f"line {n}" + (" Needle" if n % 10 == 0 else ""))\n    print("warn: needle", file=sys.stderr)\n    return 1\n'

/** A home folder with the record of one run. */
async function home() {
  const cwd = createFolder()
  const env = { HOME: createFolder() }
  const any = async (argv: string[], tty = false) => await runSkills(argv, { cwd, env, tty })
  await any(['run-code', '--code', NOISY])
  const [id = ''] = (await any(['runs', 'ls', '--ids'])).stdout.split('\n')
  return {
    id,
    any,
    query: async (argv: string[], tty = false) => await any(['runs', 'query', ...argv], tty),
  }
}

describe('skills runs query', () => {
  it('shows matching lines with context, each with its number', async () => {
    const { id, query } = await home()
    const found = await query([id, 'NEEDLE', '-C', '1', '--stream', 'stdout', '--max', '2'])
    expect(found.stdout).toBe(
      '9-line 9\n10:line 10 Needle\n11-line 11\n--\n19-line 19\n20:line 20 Needle\n21-line 21\n',
    )
    expect(found.stderr).toContain('add --cursor stdout:21')
    const next = await query([id, 'needle', '-C', '0', '--cursor', 'stdout:21'])
    expect(next.stdout).toBe('stdout:30:line 30 Needle\n--\nstderr:1:warn: needle\n')
    expect(next.code).toBe(0)
  })

  it('shows every page with --all', async () => {
    const { id, query } = await home()
    const { stdout } = await query([id, 'needle', '-C', '0', '--max', '1', '--all'])
    expect(stdout).toBe(
      'stdout:10:line 10 Needle\n--\nstdout:20:line 20 Needle\n--\nstdout:30:line 30 Needle\n--\nstderr:1:warn: needle\n',
    )
    expect((await query([id, '--all', '--max', '7'])).stdout).toMatch(
      /^line 1\nline 2\n[^]*warn: needle\n$/,
    )
  })

  it('prints lines unchanged', async () => {
    const { id, query } = await home()
    expect((await query([id.slice(4, 12), '--lines', '2-3'])).stdout).toBe('line 2\nline 3\n')
    expect((await query([id, '--lines', '30-'])).stdout).toBe('line 30 Needle\n')
    expect((await query([id, '--lines', '1', '--stream', 'stderr'])).stdout).toBe('warn: needle\n')
    const page = await query([id, '--max', '2'])
    expect(page.stdout).toBe('line 1\nline 2\n')
    expect(page.stderr).toContain('--cursor stdout:2')
  })

  it('prints nothing without a match, and reports that', async () => {
    const { id, query } = await home()
    const found = await query([id, 'absent'])
    expect(found).toMatchObject({ code: 0, stdout: '' })
    expect(found.stderr).toContain('No line of stdout or stderr matches')
  })

  it('prints one document with --json, and highlights matches on a terminal', async () => {
    const { id, any, query } = await home()
    const found = (await query([id, 'needle', '--max', '1', '--json'])).json()
    expect(found).toMatchObject({
      schema: 'skills.run-output/v1',
      artifactHandle: id,
      matchCount: 4,
      excerpts: [{ lineStart: 7, lineEnd: 13, source: 'stdout' }],
      nextCursor: { stream: 'stdout', afterLine: 13 },
    })
    const shown = await any(['runs', 'query', id, 'needle', '-C', '0', '--color'], true)
    expect(shown.stdout).toContain('line 10 \u001b[31mNeedle\u001b[39m')
  })

  it('searches with regular expressions, and highlights their matches', async () => {
    const { id, any, query } = await home()
    const found = await query([id, '--regex', '^LINE (10|30) |ne+dle$', '-C', '0', '--tail', '1'])
    expect(found.stdout).toBe('stdout:30:line 30 Needle\n--\nstderr:1:warn: needle\n')
    expect(found.stderr).toContain('--tail leaves out 2 earlier matching lines')
    const argv = ['runs', 'query', id, '--regex', 'ne.*(?:a+)+|10', '-C', '0', '--color']
    expect((await any(argv, true)).stdout).toContain('line \u001b[31m10\u001b[39m Needle')
    const refused = await query([id, '--regex', '(a'])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('"(a" cannot be used: a group is not closed')
  })

  it('prints the last lines of each stream', async () => {
    const { id, query } = await home()
    const found = await query([id, '--tail', '2'])
    expect(found.stdout).toBe('line 29\nline 30 Needle\nwarn: needle\n')
    expect(found.stderr).toContain('--tail leaves out 28 earlier lines')
    const paged = await query([id, '--tail', '5', '--max', '2', '--all'])
    expect(paged.stdout).toBe('line 26\nline 27\nline 28\nline 29\nline 30 Needle\nwarn: needle\n')
  })

  it.each([
    [['--lines', '3-2']],
    [['--lines', '0']],
    [['x', '--lines', '1']],
    [['x', '--max', '0']],
    [['x', '--max', '101']],
    [['x', '-C', '21']],
    [['x', '--cursor', 'somewhere']],
    [['x', '--stream', 'stdin']],
    [['--all', '--lines', '1-2']],
    [['--tail', '0']],
    [['--tail', '2', '--lines', '1-2']],
    [['--regex']],
    [Array.from({ length: 11 }, (_, at) => `term${at}`)],
  ])('rejects %j', async (argv) => {
    const { id, query } = await home()
    const refused = await query([id, ...argv])
    expect(refused.code).toBe(2)
    expect(refused.stdout).toBe('')
  })

  it('reports an unknown run', async () => {
    const { query } = await home()
    const handle = 'runtime-my-repo-1774356909696-fc5aa1f22e33e17c'
    for (const [word, text] of [
      [handle, 'Unknown output'],
      ['run_ffffffffffffffffffff', 'Unknown run'],
    ] as const) {
      const refused = await query([word, 'x'])
      expect(refused.code).toBe(3)
      expect(refused.stderr).toContain(text)
    }
  })

  it('queries a remote runtime', async () => {
    const server = await startTestServer()
    const { run_id: id } = await server.result('run_code', { language: 'python', code: NOISY })
    const found = await runSkills([
      'runs',
      'query',
      String(id),
      'warn',
      '-C',
      '0',
      '--url',
      server.url,
    ])
    expect(found.stdout).toBe('stderr:1:warn: needle\n')
    const unknown = await runSkills([
      'runs',
      'query',
      'run_00000000000000000000',
      'x',
      '--url',
      server.url,
    ])
    expect(unknown.code).toBe(3)
    expect(unknown.stderr).toContain('Unknown output')
  })
})
