import type { Backend, SandboxProcess, SandboxRequest } from '../backend.ts'
import { computeGuestLimits } from '../guest-host/guest-limits.ts'
import { buildGuestJob } from '../guest-host/guest-job.ts'
import { GuestProcess } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import { stageFiles, sweepStagingFolders } from '../rootfs/stage-files.ts'
import { backendUnusableError } from '../start-errors.ts'
import type { Executor, ExecutorLimit } from './executor.ts'
import { describeExecutorIsolation, requireExecutor, toBackendGuarantees } from './guarantees.ts'
import { locateFolders, planPlacedFiles } from './placed-files.ts'
import { movePaths } from './move-paths.ts'
import { startPlacedGuest } from './start-placed-guest.ts'

const DEFAULT_FOLDER = '/tmp'

/** Opens an executor of the application as the backend of one runtime. */
export function openExecutorBackend(executor: Executor): Backend {
  requireExecutor(executor)
  const killBarrier = new KillBarrier()
  const guarantees = toBackendGuarantees(executor)
  return {
    name: 'executor',
    summary: `The executor "${executor.name}" of the application`,
    guarantees,
    notes: listNotes(executor, guarantees.tier),
    probe: async () => (await executor.probe?.()) ?? { ok: true, detail: 'not tried' },
    start: async (request) => await startRun(executor, request, killBarrier),
    close: async () => await executor.close?.(),
  }
}

/** A path that stays the same where no other run is seen, as the files of a workspace may name it. */
function chooseRoot({ folder = DEFAULT_FOLDER, guarantees }: Executor, { id }: SandboxRequest) {
  if (folder === '/') return ''
  return guarantees.isolates.includes('files') ? `${folder}/run` : `${folder}/skills-${id}`
}

function listNotes({ name, guarantees }: Executor, tier: string): string[] {
  if (tier !== 'none') return []
  const has = guarantees.isolates.join(', ') || 'nothing'
  return [`This run is NOT isolated from the machine of its executor "${name}": it isolates ${has}`]
}

async function startRun(
  executor: Executor,
  request: SandboxRequest,
  killBarrier: KillBarrier,
): Promise<SandboxProcess> {
  if (request.guest.kind === 'commands') throw cannotServeError(executor)
  sweepStagingFolders()
  const staged = stageFiles(request, process.getuid?.() ?? 0, { needs: { isRelayed: true } })
  try {
    const files = planPlacedFiles(request, staged)
    const root = chooseRoot(executor, request)
    const guest = await startPlacedGuest(executor, { request, staged, files, root })
    const running = new GuestProcess(guest.started, killBarrier)
    guest.onLimit((reason) => running.kill(reason))
    const { guarantees } = guest
    const holds = (limit: ExecutorLimit) => guarantees.limits.includes(limit)
    const limits = computeGuestLimits(request.limits, {
      grouped: holds('memory') && holds('processes'),
      countsUsers: false,
    })
    running.start('unconfined', () =>
      buildGuestJob(movePaths(request, root), {
        folders: locateFolders(root),
        // Only the interpreter inside knows where its packages are.
        packages: request.hostPackages ? null : [],
        limits,
      }),
    )
    const { uid } = await running.ready
    const isFiltered = request.network !== undefined
    return Object.assign(running, {
      isolation: describeExecutorIsolation(
        { name: executor.name, guarantees },
        { user: uid, isFiltered, limits },
      ),
    })
  } catch (error) {
    staged.remove()
    throw error
  }
}

function cannotServeError({ name }: Executor) {
  return backendUnusableError(
    `The executor "${name}" starts a command of its own for each run`,
    'Set workspace.sandbox = "command"',
  )
}
