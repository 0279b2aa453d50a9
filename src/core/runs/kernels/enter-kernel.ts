import { randomUUID } from 'node:crypto'
import { cancelledError, SkillsError } from '../../../errors.ts'
import type { Backend } from '../../sandbox/backend.ts'
import type { Services } from '../../services.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ActiveRun, BlobFiles } from '../active-run.ts'
import type { FunctionJob, KernelUse } from '../job.ts'
import type { RunKeys } from '../protocol/guest-job.ts'
import type { KernelReport } from '../result.ts'
import type { RunEvent } from '../run-call.ts'
import { KILL_GRACE_MS } from '../run-limits.ts'
import { SharedSandbox } from '../shared-sandbox/shared-sandbox.ts'
import {
  reportCpuTime,
  startSandbox,
  writeStartNotes,
  type GuestRequest,
  type StartedSandbox,
  type StartServices,
} from '../start-sandbox.ts'
import type { RunTrace } from '../trace.ts'
import { describeKernelFacts, findDifference } from './kernel-facts.ts'
import { Kernel } from './kernel.ts'

type CellServices = StartServices & Pick<Services, 'blobs' | 'kernels'>

/** A cell with everything that its kernel needs at its start. */
export interface EnteringCell {
  run: ActiveRun<FunctionJob> & { keys: RunKeys }
  use: KernelUse
  args: PlainObject | undefined
  note: (text: string) => void
  describeGuest(
    environment: Readonly<Record<string, string>>,
    backend: Backend,
  ): Promise<GuestRequest>
}

/** A running cell. */
export interface StartedCell extends StartedSandbox {
  /** Describes the kernel when the cell has ended. */
  describeKernel(): KernelReport
}

/** Starts a cell in its kernel, which is started if there is none. */
export async function enterKernel(
  services: CellServices,
  entering: EnteringCell,
): Promise<StartedCell> {
  const { run, use, note } = entering
  const { call, job, keys } = run
  const facts = describeKernelFacts(run.permissions)
  const setup = { language: use.language, skills: job.skills, inputBlobs: job.inputBlobs, facts }
  const kernels = await services.kernels()
  const open = async () => await openKernel(services, entering)
  const { kernel, facts: fixed, lost } = await kernels.get(use, setup, open)
  const difference = findDifference(fixed, facts)
  if (difference !== undefined) throw fixedPermissionsError(use.id, difference)
  const endTurn = await kernel.takeTurn()
  try {
    if (call.signal?.aborted) throw cancelledError()
    if (kernel.isOver) throw endedMeanwhileError(use.id)
    await writeStartNotes(services, run, note)
    const sandbox = kernel.startCell(
      {
        code: use.code,
        args: entering.args ?? null,
        key: keys.channel,
        blobSecret: keys.blobs,
        graceMs: KILL_GRACE_MS,
      },
      { trace: run.trace, note, onEvent: call.onEvent },
    )
    reportCpuTime(call, sandbox)
    const cell = kernel.cellCount
    return {
      sandbox,
      closeNetwork: endTurn,
      describeKernel: () => ({
        id: use.id,
        cell,
        ...describeLoss(use.id, { lost, isOver: kernel.isOver }),
      }),
    }
  } catch (error) {
    endTurn()
    throw error
  }
}

function describeLoss(
  id: string,
  { lost, isOver }: { lost: string | undefined; isOver: boolean },
): Pick<KernelReport, 'notice'> {
  if (isOver) {
    return {
      notice: `The interpreter of the kernel "${id}" has ended, so its variables are lost: the next cell starts another one`,
    }
  }
  if (lost === undefined) return {}
  return {
    notice: `This is a new interpreter: the previous one of the kernel "${id}" ${lost}, so its variables are lost`,
  }
}

/** The kernel outlives the call that starts it. */
async function openKernel(
  services: CellServices,
  { run, ...entering }: EnteringCell,
): Promise<Kernel> {
  const { signal: _, ...rest } = run.call
  const call = { ...rest, keepIn: undefined }
  const trace: RunTrace = {}
  let kernel: Kernel | undefined
  const onEvent = (event: RunEvent) => kernel?.receiveEvent(event)
  const pinned = await (await services.blobs()).hold([...new Set(run.job.inputBlobs)])
  const releaseSession = run.job.session?.hold()
  try {
    const { sandbox, closeNetwork } = await startSandbox(services, {
      run: { ...run, id: randomUUID(), trace, call: { ...call, onEvent } },
      blobs: toBlobFiles(pinned.files),
      note: (text) => kernel?.note(text),
      describeGuest: async (backend, environment) => {
        if (backend.guarantees.tier === 'none') throw needsSandboxError(backend.name)
        return await entering.describeGuest(environment, backend)
      },
    })
    kernel = new Kernel(new SharedSandbox(sandbox), trace)
    void kernel.exited.finally(() => {
      closeNetwork()
      releaseSession?.()
      void pinned.release()
    })
    return kernel
  } catch (error) {
    releaseSession?.()
    await pinned.release()
    throw error
  }
}

function toBlobFiles(files: readonly { id: string; localPath: string }[]): BlobFiles {
  return files.map(({ id, localPath }) => ({ name: id.slice('blob:'.length), path: localPath }))
}

function fixedPermissionsError(id: string, difference: string): SkillsError {
  return new SkillsError(
    'kernel/fixed',
    `The cell ${difference}, unlike the kernel "${id}", whose permissions are fixed at its start`,
    { hint: 'End it with kernel { action: "end" }, or use another kernel id' },
  )
}

function endedMeanwhileError(id: string): SkillsError {
  return new SkillsError('run/cancelled', `The kernel "${id}" ended before this cell started`, {
    hint: 'Send the cell again: the next one starts another interpreter',
  })
}

function needsSandboxError(backend: string): SkillsError {
  return new SkillsError(
    'sandbox/too-weak',
    `A kernel needs a sandbox, which the backend "${backend}" does not have`,
    { hint: 'Leave out the parameter kernel, or choose another backend' },
  )
}
