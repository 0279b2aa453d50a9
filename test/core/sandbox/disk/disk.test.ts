// @module-tag slow
// @module-tag nightly
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { findGaps, selectAttacks, type Matrix } from '../../../helpers/matrix.ts'
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

const TESTED: readonly {
  backend: 'namespaces' | 'bubblewrap' | 'container'
  runtime?: 'default' | 'runsc'
  asUser: boolean
  kinds: readonly FolderKind[]
}[] = [
  { backend: 'namespaces', asUser: false, kinds: ['kept workspace', 'read-write repository'] },
  {
    backend: 'namespaces',
    asUser: true,
    kinds: ['kept workspace', 'read-write repository', 'copy'],
  },
  { backend: 'bubblewrap', asUser: false, kinds: ['kept workspace'] },
  { backend: 'bubblewrap', asUser: true, kinds: ['kept workspace', 'copy'] },
  { backend: 'container', asUser: false, kinds: ['kept workspace'] },
  { backend: 'container', runtime: 'runsc', asUser: false, kinds: ['kept workspace'] },
]

/** gVisor has no such files. */
function isRefused(runtime: string, name: string): boolean {
  const kinds = ['files without a name', 'deleted files that are preallocated past their end']
  return runtime === 'runsc' && kinds.includes(name)
}
const NOT_SUPPORTED = expect.stringMatching(/OSError: (?:\[Errno )?95/) as string

const found = await Promise.all(
  TESTED.map(async ({ backend: name, runtime = 'default', ...subject }) => {
    const backend = await new Sandboxes().openBackend(name)
    const { ok, detail } = await backend.probe(env, { engine: 'auto', runtime, image: undefined })
    const left = isRoot ? (ok ? '' : detail) : 'only root tries both kinds of users'
    const title = runtime === 'runsc' ? 'container with gVisor' : name
    const user = subject.asUser ? 'an ordinary user' : 'root'
    return { ...subject, name, title, runtime, user, left }
  }),
)
const subjects = found.flatMap(({ kinds, ...each }) => kinds.map((kind) => ({ ...each, kind })))
type Subject = (typeof subjects)[number]

const matrix: Matrix<string, Subject> = {
  attacks: Object.keys(DISK_ATTACKS),
  subjects: subjects.filter(({ left }) => left === ''),
  name: (attack) => attack,
  describe: ({ title, user, kind }) => ({ backend: title, user, kind }),
}
const selected = selectAttacks(matrix)

/** Controls take long, and a program does the same in each backend, for each user. */
function hasControl({ name, asUser, kind }: Subject): boolean {
  return name === 'namespaces' && !asUser && kind === 'kept workspace'
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

it('each attack is tried in each backend, as each user and in each kind of folder', () => {
  expect(findGaps(matrix, selected)).toEqual([])
})

describe.each(subjects)('a $kind of a run of $title that $user starts', (subject) => {
  const { name, runtime, asUser, kind, left } = subject
  const why = left === '' ? '' : ` (not run: ${left})`
  const attacks = selected.get(subject) ?? matrix.attacks
  const controls = hasControl(subject) ? matrix.attacks : []
  let reports = new Map<string, ProgramReport>()

  beforeAll(async () => {
    if (left !== '') return
    const { data, path } = makeFolder(asUser)
    const createRun = (id: string, limit: number, argv: readonly string[]): ProgramSpec => ({
      id,
      argv: ['/bin/sh', '-c', '"$@"; code=$?; rm -f "$4"/skills-fill-*; exit $code', 'sh', ...argv],
      ...createSpec(kind, path),
      settings: {
        'run.backend': name,
        'run.container.runtime': runtime,
        'run.limits.workspace': limit * MIB,
        'run.timeout': '30s',
      },
    })
    const createArgv = (attack: string, seconds: number) =>
      buildAttackArgv(DISK_ATTACKS[attack] ?? '', KINDS[kind], seconds)
    const specs = [
      ...attacks.map((attack) => createRun(`attack: ${attack}`, 16, createArgv(attack, 20))),
      ...controls.map((attack) =>
        createRun(`control: ${attack}`, 2 * ATTACK_MIB, createArgv(attack, 0.1)),
      ),
    ]
    reports = await startPrograms(specs, { data, asUser })
    rmSync(data, { recursive: true, force: true })
  }, 600_000)
  afterAll(() => reports.clear())
  const test = it.skipIf(left !== '')

  test.each(attacks)(`exceeds its limit by no %s${why}`, (attack) => {
    const report = reports.get(`attack: ${attack}`)
    if (isRefused(runtime, attack)) {
      expect(report).toMatchObject({ status: 'failure', stderr: NOT_SUPPORTED })
      return
    }
    expect(report?.error, report?.stderr ?? report?.thrown).toMatchObject({ type: 'DiskLimit' })
    const limit = kind === 'kept workspace' ? 'workspace' : 'folders'
    expect(report?.isolation?.limits).toHaveProperty(limit, 'polled, not held by the kernel')
  })

  test.each(controls)(`contains %s below a higher limit${why}`, (attack) => {
    const report = reports.get(`control: ${attack}`)
    expect(report, report?.stderr).toMatchObject({ status: 'success', stdout: 'True\n' })
  })
})

describe.skipIf(!isRoot)('what is no attack', { timeout: 300_000 }, () => {
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
