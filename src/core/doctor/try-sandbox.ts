import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoize } from '../../util/memoize.ts'
import type { Manifest } from '../skills/manifest/manifest.ts'
import { completeLimits } from '../runs/run-limits.ts'
import type { RunResult } from '../runs/result.ts'
import type { BackendName } from '../sandbox/isolation.ts'
import type { Machine } from './check.ts'

const PROBE_CODE = `import ctypes, os, platform, socket

def attempt(action):
    try:
        action()
    except OSError:
        return False
    return True

libc = ctypes.CDLL(None, use_errno=True)

def call(number, *values):
    if libc.syscall(number, *values) < 0:
        raise OSError(ctypes.get_errno(), "")

def ask_for_keyring():
    # The session's own, not made where there is none.
    call({"x86_64": 250, "aarch64": 219}[platform.machine()], 0, -3, 0)

def write_to_usr():
    open("/usr/skills-probe", "w").close()
    os.unlink("/usr/skills-probe")

def make_namespace():
    call({"x86_64": 272, "aarch64": 97}[platform.machine()], 0x10000000)

def overfill():
    for name in ("a", "b"):
        with open(name, "wb") as file:
            file.write(bytes(args_size * 3 // 4))

def main(args):
    global args_size
    args_size = args["size"]
    return {
        "reads /etc/shadow": attempt(lambda: open("/etc/shadow").close()),
        "writes to /usr": attempt(write_to_usr),
        "reaches the network": attempt(lambda: socket.create_connection(("192.0.2.1", 9), 1)),
        "changes the system": attempt(lambda: open("/proc/sys/vm/swappiness", "r+").close()),
        "is root": os.getuid() == 0,
        "asks for keys": attempt(ask_for_keyring),
        "writes more than its workspace holds": attempt(overfill),
        "makes namespaces": attempt(make_namespace),
    }
`

/** Bound for a probe that hangs. Other trials run next to it, also on a slow machine. */
const TIMEOUT_MS = 60_000
const WORKSPACE_BYTES = 1024 ** 2

const getTrials = memoize((_machine: Machine) => new Map<BackendName, Promise<RunResult>>())

/** Runs `trySandbox` once per machine and backend, for all checks. */
export async function getSandboxTrial(machine: Machine, backend: BackendName): Promise<RunResult> {
  const trials = getTrials(machine)
  const run = trials.get(backend) ?? trySandbox(machine, backend)
  trials.set(backend, run)
  return await run
}

/**
 * Runs a small skill in a real sandbox; each key of its output is an access that must be denied.
 */
export async function trySandbox(
  { config, cwd, env, sandboxes }: Machine,
  backend: BackendName,
): Promise<RunResult> {
  const { superviseFunction } = await import('../runs/supervise/function.ts')
  const { Kernels } = await import('../runs/kernels/kernels.ts')
  const { createRedactor } = await import('../runs/redaction/redact.ts')
  const { createRunId } = await import('../runs/history/run-id.ts')
  const { openBlobStore } = await import('../storage/file-blob-store.ts')
  const dir = mkdtempSync(join(tmpdir(), 'skills-probe-'))
  try {
    writeFileSync(join(dir, 'main.py'), PROBE_CODE)
    const skill = { manifest: PROBE_MANIFEST, dir }
    const none = { maxBlobBytes: 0, quotaBytes: 0, ttlMs: 60_000 }
    const blobs = async () => openBlobStore(join(dir, 'blobs'), none)
    const run = { ...config.run, backend, requireIsolation: 'any' as const }
    const set = { ...run.limits, wallMs: TIMEOUT_MS, workspaceBytes: WORKSPACE_BYTES }
    const limits = completeLimits(set)
    const ended = await superviseFunction(
      {
        config: { ...config, run },
        sandboxes,
        blobs,
        kernels: async () => new Kernels(),
      },
      {
        id: createRunId(),
        job: { ...PROBE_JOB, target: { kind: 'skill', skill }, skills: [skill] },
        call: { cwd, env },
        permissions: {
          ...NO_PERMISSIONS,
          skills: [skill],
          limits,
          ownMemoryLayout: run.warm === 'aslr',
        },
        hasLowPriority: false,
        redactor: createRedactor([]),
        trace: {},
        log: () => {},
        report: () => {},
      },
      [],
    )
    return await ended.value
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const PROBE_JOB = {
  kind: 'execute_skill',
  args: { size: WORKSPACE_BYTES },
  inputBlobs: [],
  timeoutMs: undefined,
} as const

const NO_PERMISSIONS = {
  decision: { allowed: true, reasons: [], network: [], secrets: [] },
  secrets: {},
  masked: [],
  stranger: undefined,
  network: undefined,
  environment: {},
  notes: [],
  dependencies: undefined,
}

const PROBE_MANIFEST: Manifest = {
  name: 'skills.probe',
  version: '0.0.0',
  description: '',
  kind: 'action',
  namespace: 'skills',
  tags: [],
  runtime: { language: 'python', entrypoint: 'main.py', export: 'main' },
  inputs: {},
  permissions: { network: [], secrets: [] },
  title: undefined,
  shortDescription: undefined,
  toml: null,
  frontMatter: {},
  unknownKeys: [],
}
