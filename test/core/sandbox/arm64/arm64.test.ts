// @module-tag slow
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Interpreter, SandboxRequest } from '../../../../src/core/sandbox/backend.ts'
import { buildGuestJob, GUEST_FOLDERS } from '../../../../src/core/sandbox/guest-host/guest-job.ts'
import { NAMESPACES } from '../../../../src/core/sandbox/namespaces/namespaces-launcher.ts'
import { stageFiles } from '../../../../src/core/sandbox/rootfs/stage-files.ts'
import {
  buildFilter,
  buildMemoryFilter,
  encodeFilter,
} from '../../../../src/core/sandbox/seccomp/seccomp.ts'
import {
  classifyCall,
  SYSTEM_CALLS,
  type CallVerdict,
  type SystemCalls,
} from '../../../../src/core/sandbox/seccomp/system-calls.ts'
import { bootArm64 } from './boot-arm64.ts'
import { findArm64, type Arm64 } from './find-arm64.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const GUEST = fileURLToPath(new URL('../../../../src/guest/', import.meta.url))
const ARM64 = findArm64()
const isReady = ARM64 !== undefined && process.getuid?.() === 0
const why = isReady ? '' : ' (not run: needs root, and SKILLS_TEST_ARM64: see unpack.sh)'

const CALLS = SYSTEM_CALLS['arm64'] as SystemCalls
const [EPERM, ENOSYS, EINVAL, EAFNOSUPPORT] = [1, 38, 22, 97]
const AT_FDCWD = -100
const getNumber = (name: string) => CALLS.numbers.get(name) as number

type Call = readonly [number: number, values: readonly number[]]

/** System calls with the error that the filter returns. */
const REFUSED: Readonly<Record<string, readonly [call: Call, error: number]>> = {
  ...nameCalls('refused', EPERM),
  ...nameCalls('absent', ENOSYS),
  ...Object.fromEntries(
    ['semget', 'msgget', 'memfd_create'].map((name) => [name, [[getNumber(name), []], ENOSYS]]),
  ),
  'a call without a number': [[480, []], ENOSYS],
  'clone into a user namespace': [[getNumber('clone'), [0x10000000 + 17, 0, 0, 0, 0]], EPERM],
  'a netlink socket': [[getNumber('socket'), [16, 3, 0]], EAFNOSUPPORT],
  'a raw socket': [[getNumber('socket'), [2, 3, 1]], EPERM],
  'typing into a terminal': [[getNumber('ioctl'), [0, 0x5412, 0]], EPERM],
  'another personality': [[getNumber('personality'), [0x0040000]], EPERM],
  'limits of another process': [[getNumber('prlimit64'), [1, 7, 0, 0]], EPERM],
  'a set-user-id bit': [[getNumber('fchmod'), [0, 0o4755]], EPERM],
  'a set-user-id bit by path': [[getNumber('fchmodat'), [AT_FDCWD, 0, 0o4755]], EPERM],
  'a large segment of memory': [[getNumber('shmget'), [0, 1 << 20, 0o600]], EINVAL],
}

/** Calls that an ordinary user may make: without the filter, they have other results. */
const ALLOWED_TO_USERS = [
  'ptrace',
  'unshare',
  'add_key',
  'keyctl',
  'io_setup',
  'process_vm_readv',
  'memfd_create',
  'clone3',
  'openat2',
  'clone into a user namespace',
  'a netlink socket',
  'another personality',
  'a large segment of memory',
  'msgget',
  'semget',
]

function nameCalls(verdict: CallVerdict, error: number) {
  const found = [...CALLS.numbers].filter(([name]) => classifyCall(name) === verdict)
  return Object.fromEntries(
    found.map(([name, number]) => [name, [[number, []], error] as const] as const),
  )
}

interface MachineResult {
  machine: string
  run: { text: string; messages: Record<string, unknown>[] }
  control: string
  first: { syscall: string; SigIgn: string }
}
interface ProbeReport {
  self: Record<string, unknown>
  errors: Record<string, number | string>
}

const PYTHON: Interpreter = {
  executable: '/usr/bin/python3',
  version: '3.11',
  mounts: [],
  packages: [],
  hidden: [],
  libraries: undefined,
  compiled: new Map(),
}

/** Plans a run as this machine's runtime does, and boots a machine that executes the plan. */
async function runOnArm64(arm64: Arm64, dir: string): Promise<MachineResult> {
  const calls = Object.fromEntries(Object.entries(REFUSED).map(([name, [call]]) => [name, call]))
  const argv = ['/usr/bin/python3', '-I', '-S', '/test/probe.py', JSON.stringify(calls)]
  const request: SandboxRequest = {
    id: 'run_arm64',
    guest: { kind: 'program', program: { argv, cwd: '/workspace', env: {}, stdin: 'none' } },
    tools: [{ source: '/test', target: '/test' }],
    skills: [],
    blobs: [],
    interpreter: async () => PYTHON,
    limits: LIMITS,
    env: {},
    container: { engine: 'auto', runtime: 'default', image: undefined },
    strict: false,
    ownMemoryLayout: false,
  }
  const needs = { launches: true }
  const staged = stageFiles(request, 1_900_000_001, { needs })
  try {
    const hostMounts = {
      workspace: undefined,
      mounts: [],
      watched: [],
      inMemory: [],
      idmapped: [],
      copies: [],
    }
    const run = { staged, interpreter: PYTHON, asRoot: true, grouped: true }
    const command = NAMESPACES.buildRun(request, {
      ...run,
      hostMounts: { ...hostMounts, reported: undefined },
    })
    const filter = encodeFilter(buildMemoryFilter(CALLS))
    const limits = { values: {}, where: {}, filter }
    const job = buildGuestJob(request, { folders: GUEST_FOLDERS, packages: [], limits })
    const test = join(dir, 'test')
    mkdirSync(test)
    const launch = {
      ...command,
      filter: encodeFilter(buildFilter(CALLS)).toString('hex'),
      job,
      calls,
    }
    writeFileSync(join(test, 'launch.json'), JSON.stringify(launch))
    const folders = [
      { source: staged.dir, target: staged.dir },
      { source: test, target: '/test' },
      { source: GUEST, target: '/test/guest' },
      ...['drive.py', 'probe.py'].map((name) => ({
        source: join(HERE, name),
        target: `/test/${name}`,
      })),
    ]
    return (await bootArm64(arm64, dir, folders)) as MachineResult
  } finally {
    staged.remove()
  }
}

const LIMITS = {
  wallMs: 600_000,
  cpuMs: 600_000,
  memoryBytes: 2 ** 28,
  totalMemoryBytes: undefined,
  processes: 64,
  openFiles: 256,
  workspaceBytes: 2 ** 24,
  inodes: 1000,
  outputBytes: 2 ** 20,
  networkBytes: 0,
}

describe.skipIf(!isReady)(`a machine with an arm64 kernel of Debian${why}`, () => {
  let result: MachineResult
  let inside: ProbeReport
  let outside: ProbeReport

  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skills-arm64-'))
    result = await runOnArm64(ARM64 as Arm64, dir)
    rmSync(dir, { recursive: true, force: true })
    try {
      inside = JSON.parse(result.run.text) as ProbeReport
      outside = JSON.parse(result.control) as ProbeReport
    } catch {
      throw new Error(`the probes did not end: ${JSON.stringify(result)}`)
    }
  }, 1_000_000)

  it('runs a program in a sandbox, with a user of its own and without rights', () => {
    expect(result.machine).toBe('aarch64')
    expect(result.run.messages).toEqual([
      { up: true },
      { ready: { uid: 1_900_000_001 } },
      expect.objectContaining({ exit: 0, signal: null }),
    ])
    expect(inside.self).toMatchObject({
      user: 1_900_000_001,
      pid: 2,
      CapEff: '0000000000000000',
      CapPrm: '0000000000000000',
      CapBnd: '0000000000000000',
      CapAmb: '0000000000000000',
      NoNewPrivs: '1',
      Seccomp: '2',
    })
  })

  it.each(Object.entries(REFUSED))('refuses %s', (name, [, error]) => {
    expect(inside.errors[name]).toBe(error)
  })

  it.each(ALLOWED_TO_USERS)('would not refuse %s without the filter', (name) => {
    expect(outside.errors[name]).not.toBe(REFUSED[name]?.[1])
  })

  it('has a first process of warm runs that waits, and whose orphans the kernel reaps', () => {
    // ppoll; the bit of SIGCHLD.
    expect(result.first).toEqual({ syscall: '73', SigIgn: '0000000000010000' })
  })
})
