// @module-tag slow
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { startPrograms, type ProgramReport, type ProgramSpec } from '../programs/start-worker.ts'
import { ATTACK_MIB, buildAttackArgv, DISK_ATTACKS } from './attacks.ts'

const MIB = 1024 ** 2
const OTHER = 65_534
const isRoot = process.getuid?.() === 0
const env = { PATH: process.env['PATH'] }

/** Folders on disk that a run writes to, as paths inside. */
const KINDS = {
  'kept workspace': '/workspace',
  'read-write repository': '/data/given',
  // Of a folder of another user, which is copied for an overlay.
  copy: '/data/given',
} as const
type FolderKind = keyof typeof KINDS

const SUBJECTS = [
  { backend: 'namespaces', asUser: false, kinds: ['kept workspace', 'read-write repository'] },
  { backend: 'namespaces', asUser: true, kinds: Object.keys(KINDS) },
  { backend: 'bubblewrap', asUser: false, kinds: ['kept workspace'] },
  { backend: 'bubblewrap', asUser: true, kinds: ['kept workspace', 'copy'] },
  { backend: 'container', asUser: false, kinds: ['kept workspace'] },
  { backend: 'container', runtime: 'runsc', asUser: false, kinds: ['kept workspace'] },
] as const

/** gVisor has no such files. */
function isRefused(runtime: string, name: string): boolean {
  const kinds = ['files without a name', 'deleted files that are preallocated past their end']
  return runtime === 'runsc' && kinds.includes(name)
}
const NOT_SUPPORTED = expect.stringMatching(/OSError: (?:\[Errno )?95/) as string

const found = await Promise.all(
  SUBJECTS.map(async (subject) => {
    const runtime = 'runtime' in subject ? subject.runtime : 'default'
    const backend = await new Sandboxes().openBackend(subject.backend)
    const { ok, detail } = await backend.probe(env, {
      engine: 'auto',
      runtime,
      image: undefined,
    })
    const left = isRoot ? (ok ? '' : detail) : 'only root tries both kinds of users'
    const title = runtime === 'runsc' ? 'container with gVisor' : subject.backend
    return { ...subject, title, runtime, tier: subject.asUser ? 'an ordinary user' : 'root', left }
  }),
)

/** Controls take long, and a program does the same in each backend. */
function hasControl(backend: string, kind: FolderKind): boolean {
  return backend === 'namespaces' && kind === 'kept workspace'
}

function makeFolder(asUser: boolean): { data: string; path: (name: string) => string } {
  const data = mkdtempSync('/tmp/skills-disk-')
  const path = (name: string) => join(data, name)
  for (const each of ['kept', 'given']) mkdirSync(path(each), { mode: 0o700 })
  mkdirSync(path('public'), { mode: 0o755 })
  chmodSync(data, 0o755)
  if (asUser) for (const each of [data, path('kept'), path('given')]) chownSync(each, OTHER, OTHER)
  return { data, path }
}

function createSpec(
  kind: FolderKind,
  path: (name: string) => string,
): Pick<ProgramSpec, 'workspace' | 'folders'> {
  if (kind === 'kept workspace') return { workspace: { source: path('kept') } }
  const folder =
    kind === 'copy'
      ? { source: path('public'), mode: 'overlay' as const }
      : { source: path('given'), mode: 'read-write' as const }
  return { folders: [{ ...folder, target: KINDS[kind] }] }
}

describe.each(found)('a run of $title that $tier starts', (subject) => {
  const { backend, runtime, asUser, kinds, left } = subject
  const why = left === '' ? '' : ` (not run: ${left})`
  const cases = kinds.flatMap((kind) =>
    Object.keys(DISK_ATTACKS).map((name) => ({ kind: kind as FolderKind, name })),
  )
  const reports = new Map<string, ProgramReport>()

  beforeAll(async () => {
    if (left !== '') return
    for (const kind of kinds as readonly FolderKind[]) {
      const { data, path } = makeFolder(asUser)
      const specs = Object.entries(DISK_ATTACKS).flatMap(([name, code]): ProgramSpec[] => {
        const given = createSpec(kind, path)
        const run = (id: string, limit: number, seconds: number): ProgramSpec => ({
          id: `${kind}: ${name}: ${id}`,
          argv: [
            '/bin/sh',
            '-c',
            '"$@"; code=$?; rm -f "$4"/skills-fill-*; exit $code',
            'sh',
            ...buildAttackArgv(code, KINDS[kind], seconds),
          ],
          ...given,
          settings: {
            'run.backend': backend,
            'run.container.runtime': runtime,
            'run.limits.workspace': limit * MIB,
            'run.timeout': '30s',
          },
        })
        const control = run('control', 2 * ATTACK_MIB, 0.1)
        return [run('attack', 16, 4), ...(hasControl(backend, kind) ? [control] : [])]
      })
      for (const [id, report] of await startPrograms(specs, { data, asUser }))
        reports.set(id, report)
      rmSync(data, { recursive: true, force: true })
    }
  }, 600_000)
  afterAll(() => reports.clear())
  const test = it.skipIf(left !== '')

  test.each(cases)(`exceeds the limit of a $kind by no $name${why}`, ({ kind, name }) => {
    const attack = reports.get(`${kind}: ${name}: attack`)
    if (isRefused(runtime, name)) {
      expect(attack).toMatchObject({ status: 'failure', stderr: NOT_SUPPORTED })
      return
    }
    expect(attack?.error, attack?.stderr ?? attack?.thrown).toMatchObject({ type: 'DiskLimit' })
    const limit = kind === 'kept workspace' ? 'workspace' : 'folders'
    expect(attack?.isolation?.limits).toHaveProperty(limit, 'polled, not held by the kernel')
    if (!hasControl(backend, kind)) return
    // Control: a limit that is high enough ends nothing.
    const control = reports.get(`${kind}: ${name}: control`)
    expect(control, control?.stderr).toMatchObject({ status: 'success', stdout: 'True\n' })
  })
})

describe.skipIf(!isRoot)('what is no attack', () => {
  it('a run in a large read-write repository writes to it', async () => {
    const { data, path } = makeFolder(true)
    const folders = [{ source: path('given'), target: '/repo', mode: 'read-write' as const }]
    const fill = 'head -c 40000000 /dev/zero > /repo/old'
    const sparse = 'truncate -s 8M /repo/a /repo/b /repo/c /repo/d; echo x > /repo/new; sleep 0.5'
    const limit = (mib: number) => ({ 'run.limits.workspace': mib * MIB })
    const reports = await startPrograms(
      [
        { id: 'fills', argv: ['/bin/sh', '-c', fill], folders, settings: limit(64) },
        { id: 'writes', argv: ['/bin/sh', '-c', sparse], folders, settings: limit(16) },
      ],
      { data, asUser: true },
    )
    expect(reports.get('writes')).toMatchObject({ status: 'success', stderr: '' })
    expect(readdirSync(path('given'))).toHaveLength(6)
    rmSync(data, { recursive: true })
  })
})
