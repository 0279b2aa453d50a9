import { SkillsError } from '../../errors.ts'
import type { BackendProbe, BackendGuarantees } from '../sandbox/backend.ts'
import { BACKEND_NAMES } from '../sandbox/sandboxes.ts'
import type { BackendName } from '../sandbox/isolation.ts'
import type { Machine } from './check.ts'
import { getSandboxTrial } from './try-sandbox.ts'

/** A backend, its guarantees, and whether it works on this machine. */
export interface BackendReport extends BackendProbe {
  name: BackendName
  summary: string
  promises: BackendGuarantees
}

/** Tries every backend; an isolating one runs a skill for it. */
export async function reportBackends(machine: Machine): Promise<BackendReport[]> {
  return await Promise.all(BACKEND_NAMES.map(async (name) => await reportBackend(machine, name)))
}

async function reportBackend(machine: Machine, name: BackendName): Promise<BackendReport> {
  const backend = await machine.sandboxes.openBackend(name)
  const { summary, guarantees } = backend
  const found =
    name === 'bubblewrap' && process.platform !== 'linux'
      ? { ok: false, detail: 'only on Linux' }
      : await backend.probe(machine.env, machine.config.run.container)
  const tried =
    found.ok && guarantees.tier !== 'none' ? await tryBackend(machine, name, found) : found
  return { name, summary, promises: guarantees, ...tried }
}

async function tryBackend(
  machine: Machine,
  name: BackendName,
  found: BackendProbe,
): Promise<BackendProbe> {
  try {
    const { status, isolation, error } = await getSandboxTrial(machine, name)
    if (status === 'failed') return { ok: false, detail: `the probe failed: ${error?.message}` }
    return { ok: true, detail: `${found.detail}; ${isolation?.tier} tier here` }
  } catch (error) {
    if (!(error instanceof SkillsError)) throw error
    return { ok: false, detail: `${found.detail}: ${error.message}`, fix: error.hint }
  }
}

/** Guarantees that a backend lacks, in a few words. */
export function listWeaknesses({ isolates, limits, filtersNetwork }: BackendGuarantees): string[] {
  const open = Object.entries(isolates).flatMap(([property, isEnforced]) =>
    isEnforced ? [] : [property],
  )
  const partial = Object.entries(limits).flatMap(([property, reach]) =>
    reach === 'run' ? [] : [`${property}: ${reach}`],
  )
  return [
    ...(open.length > 0 ? [`does not isolate: ${open.join(', ')}`] : []),
    ...(filtersNetwork ? [] : ['cannot restrict a skill to its declared destinations']),
    ...(partial.length > 0 ? [`limits ${partial.join('; ')}`] : []),
  ]
}
