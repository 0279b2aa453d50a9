import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AttackProbe } from './case.ts'
import type { Host } from './host.ts'
import { askPython, launch, startRuns, type StartOptions } from './start-worker.ts'

/** Result of each attack: `through`, `held: <reason>` or `mistake: <reason>`. */
export type ProbeResults = Readonly<Record<string, string>>

const KIT = fileURLToPath(new URL('kit.py', import.meta.url))
const PYTHON = ['/usr/bin/python3', '-I']

/** Runs all attacks in a single run of a sandbox. */
export async function runProbesInside(
  probes: readonly AttackProbe[],
  { host, ...how }: Omit<StartOptions, 'dir'> & { host: Host },
): Promise<{ answers: ProbeResults; isolation: unknown }> {
  const facts = { ...host.facts, INIT: 1, GUEST: '/guest' }
  const run = {
    id: 'probes',
    code: readFileSync(KIT, 'utf8'),
    args: { facts, attacks: mapAttacks(probes) },
    blobs: ['of the caller'],
    // Processes start slowly in gVisor.
    timeoutMs: 240_000,
  }
  const reports = await startRuns([run], { ...how, dir: host.dir })
  const report = reports.get('probes')
  if (report?.result?.status !== 'completed') {
    throw new Error(`the probes did not end: ${JSON.stringify(report)}`)
  }
  // A long list arrives as a blob.
  const text = report.blobs[0]?.content ?? JSON.stringify(report.result.output)
  return { answers: JSON.parse(text) as ProbeResults, isolation: report.result.isolation }
}

/** Runs the same attacks without a sandbox. */
export async function runProbesOutside(
  probes: readonly AttackProbe[],
  host: Host,
): Promise<ProbeResults> {
  const facts = {
    ...host.facts,
    INIT: host.facts['HOST_PID'] ?? 0,
    GUEST: join(host.dir, 'host/guest'),
    BLOB: join(host.dir, 'host/blob'),
  }
  const file = join(host.dir, 'host/outside/skill/main.py')
  const ask = async (control: AttackProbe['control'], before: readonly string[]) =>
    await askPython<ProbeResults>(
      ['/usr/bin/python3', ...launch('root', host.dir, [...before, ...PYTHON, file])],
      {
        facts,
        attacks: mapAttacks(probes.filter((each) => (each.control ?? 'bare') === control)),
      },
    )
  return { ...(await ask('bare', [])), ...(await ask('loose', looseBubblewrap(host))) }
}

/** The whole host with all capabilities of root; only changes stay inside. */
function looseBubblewrap({ dir }: Host): string[] {
  const bound = join(dir, 'host/home-x')
  return [
    'bwrap --dev-bind / / --proc /proc --cap-add ALL --die-with-parent --tmpfs /mnt'.split(' '),
    ['pid', 'ipc', 'net', 'uts', 'cgroup-try'].map((each) => `--unshare-${each}`),
    ['--bind', bound, '/mnt/x'],
  ].flat()
}

function mapAttacks(probes: readonly AttackProbe[]): Record<string, string> {
  return Object.fromEntries(probes.map(({ id, attack }) => [id, attack]))
}
