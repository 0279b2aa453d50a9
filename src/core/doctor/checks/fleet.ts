import { toSkillsError } from '../../../errors.ts'
import { memoize } from '../../../util/memoize.ts'
import type { Config } from '../../config/config.ts'
import type { CheckResult, DoctorCheck, Machine } from '../check.ts'

interface FoundEngine {
  version: string
  servers: string
  /** Guarantees that this version cannot give. */
  limits: readonly { code: string; sentence: string }[]
  /** Why nodes refuse its streams. */
  problem: { message: string; hint: string | undefined } | undefined
}

const NOT_CONNECTED = { ok: null, detail: 'not tried: the engine does not answer' }
/** Time that a check waits for an engine that is away. */
const PATIENCE_MS = 5000

const engineCheck: DoctorCheck = {
  id: 'fleet-engine',
  title: 'Engine of the fleet',
  needed: true,
  async run(machine) {
    try {
      const { version, servers } = await findEngine(machine)
      return { ok: true, detail: `nats-server ${version} at ${servers}` }
    } catch (error) {
      const { message, hint } = toSkillsError(error)
      return { ok: false, detail: message, fix: hint }
    }
  },
}

const streamsCheck: DoctorCheck = {
  id: 'fleet-streams',
  title: 'Streams of the fleet',
  needed: true,
  run: async (machine) =>
    await checkEngine(machine, ({ problem, servers }) =>
      problem
        ? {
            ok: false,
            detail: problem.message,
            fix: problem.hint ?? `Type: skills fleet init --fleet ${servers}`,
          }
        : { ok: true, detail: `the streams of "${machine.config.fleet.tenant}" are there` },
    ),
}

const guaranteesCheck: DoctorCheck = {
  id: 'fleet-guarantees',
  title: 'Guarantees of the engine',
  needed: false,
  run: async (machine) =>
    await checkEngine(machine, ({ limits }) => ({
      // Whether writes survive a power failure depends on the configuration, which a client cannot read.
      ok: !limits.some(({ code }) => code === 'replicas'),
      detail: limits.map(({ sentence }) => sentence).join('. '),
      fix: 'Update nats-server',
    })),
}

const FLEET_CHECKS = [engineCheck, streamsCheck, guaranteesCheck]

/** Selects the checks of a machine that belongs to a fleet. */
export function selectFleetChecks({ fleet }: Config): readonly DoctorCheck[] {
  return fleet.servers === undefined ? [] : FLEET_CHECKS
}

async function checkEngine(
  machine: Machine,
  check: (engine: FoundEngine) => CheckResult,
): Promise<CheckResult> {
  const engine = await findEngine(machine).catch(() => undefined)
  return engine ? check(engine) : NOT_CONNECTED
}

/** Connects to the engine once, for all checks of a machine. */
const findEngine = memoize(async ({ config }: Machine): Promise<FoundEngine> => {
  const { openEngine } = await import('../../../fleet/engine/open-engine.ts')
  const { checkAssets } = await import('../../../fleet/engine/assets-version.ts')
  const { listEngineLimits } = await import('../../../fleet/engine/engine-limits.ts')
  const { servers = '', name, tenant, seed, ca } = config.fleet
  const address = { servers, seedFile: seed, caFile: ca }
  const engine = await openEngine({ ...address, name, tenant, patienceMs: PATIENCE_MS })
  try {
    const problem = await checkAssets(engine).then(
      () => undefined,
      (error: unknown) => {
        const { message, hint } = toSkillsError(error)
        return { message, hint }
      },
    )
    return { version: engine.version, servers, limits: listEngineLimits(engine.version), problem }
  } finally {
    await engine.close()
  }
})
