import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Manifest } from '../manifest/manifest.ts'
import type { RunResult } from '../run/result.ts'
import type { Machine } from './check.ts'

const PROBE = `import os, socket

def attempt(action):
    try:
        action()
    except OSError:
        return False
    return True

def main(args):
    return {
        "reads /etc/shadow": attempt(lambda: open("/etc/shadow").close()),
        "writes to /usr": attempt(lambda: open("/usr/probe", "w").close()),
        "reaches the network": attempt(lambda: socket.create_connection(("192.0.2.1", 9), 1)),
        "changes the system": attempt(lambda: open("/proc/sys/vm/swappiness", "r+").close()),
        "is root": os.getuid() == 0,
    }
`

const TIMEOUT_MS = 10_000

/** Runs a small skill in a real sandbox; each key of its output is something it must not be able to. */
export async function trySandbox({ config, cwd, env }: Machine): Promise<RunResult> {
  const { runInSandbox } = await import('../run/run-in-sandbox.ts')
  const { newRunId } = await import('../record/run-id.ts')
  const { openBlobStore } = await import('../store/file-blob-store.ts')
  const dir = mkdtempSync(join(tmpdir(), 'skills-probe-'))
  try {
    writeFileSync(join(dir, 'main.py'), PROBE)
    const skill = { manifest: MANIFEST, dir }
    return await runInSandbox({
      id: newRunId(),
      decision: { allowed: true, reasons: [], network: [], secrets: [] },
      target: { kind: 'skill', skill },
      mounts: [skill],
      args: {},
      inputBlobs: [],
      limits: { ...config.run.limits, wallMs: TIMEOUT_MS },
      maxBlobBytes: 0,
      secrets: {},
      environment: {},
      notes: [],
      python: config.run.python,
      backend: 'bubblewrap',
      container: config.run.container,
      strict: false,
      cwd,
      env,
      blobs: openBlobStore(join(dir, 'blobs'), { maxBlobBytes: 0, quotaBytes: 0, ttlMs: 60_000 }),
      signal: undefined,
      onEvent: undefined,
    })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const MANIFEST: Manifest = {
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
