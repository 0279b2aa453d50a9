import { randomUUID } from 'node:crypto'
import { cancelledError } from '../../../errors.ts'
import type { Services } from '../../services.ts'
import type { ActiveRun } from '../active-run.ts'
import type { ProgramJob, SharedSandboxUse } from '../job.ts'
import {
  reportCpuTime,
  startSandbox,
  writeStartNotes,
  type ProgramGuest,
  type StartedSandbox,
  type StartServices,
} from '../start-sandbox.ts'
import { describeSandbox } from './sandbox-facts.ts'
import { computeSessionLimits } from './session-limits.ts'
import { SharedSandbox } from './shared-sandbox.ts'

/** A command with the guest that it needs. */
interface EnteringRun {
  run: ActiveRun<ProgramJob>
  shared: SharedSandboxUse
  note: (text: string) => void
  describeGuest(): Promise<ProgramGuest>
}

/** Returns the sandbox that a program shares; undefined if the program needs one of its own. */
export function selectSharedSandbox({
  job,
  call,
  permissions,
}: ActiveRun<ProgramJob>): SharedSandboxUse | undefined {
  if (!job.shared || call.keepIn !== undefined) return undefined
  if (!permissions.network) return job.shared
  job.shared.warn(
    `This command may use the network (${permissions.decision.network.join(', ')}), so it runs in a sandbox of its own: it shares no processes, localhost or /tmp with other commands, and its processes end with it`,
  )
  return undefined
}

/** Starts a program in the living sandbox of its session, which is started if there is none. */
export async function enterSharedSandbox(
  services: StartServices & Pick<Services, 'sharedSandboxes'>,
  { run, shared, note, ...entering }: EnteringRun,
): Promise<StartedSandbox> {
  const { call, permissions } = run
  const command = await entering.describeGuest()
  const facts = describeSandbox(permissions, { ...command, revision: shared.revision })
  const limits = computeSessionLimits(permissions.limits)
  const sandbox = await (
    await services.sharedSandboxes()
  ).get({
    ...shared,
    facts,
    limits,
    open: async () =>
      await openSharedSandbox(
        services,
        { ...run, permissions: { ...permissions, limits } },
        command,
      ),
  })
  if (call.signal?.aborted) throw cancelledError()
  await writeStartNotes(services, run, note)
  const started = sandbox.start(command.guest.program, {
    limits,
    warn: (text) => shared.warn(text),
  })
  reportCpuTime(call, started)
  return { sandbox: started, closeNetwork: () => {} }
}

/** The sandbox outlives the call that starts it, and so has no priority of this call. */
async function openSharedSandbox(
  services: StartServices,
  run: ActiveRun<ProgramJob>,
  command: ProgramGuest,
): Promise<SharedSandbox> {
  const { signal: _, onEvent: _event, ...call } = run.call
  let opened: SharedSandbox | undefined
  const onFull = (isFull: boolean) => opened?.setFull(isFull)
  const { sandbox } = await startSandbox(services, {
    run: { ...run, id: randomUUID(), call, hasLowPriority: false },
    blobs: [],
    note: () => {},
    describeGuest: async () => ({ ...command, guest: { kind: 'commands', onFull } }),
  })
  opened = new SharedSandbox(sandbox)
  return opened
}
