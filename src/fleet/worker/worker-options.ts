import type { Engine } from '../engine/engine.ts'
import type { CallEnds } from '../messages/call-ends.ts'
import type { CallAnswer, HomeRef, StartMessage } from '../messages/call-messages.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { AcceptedCall } from './accepted-call.ts'

export interface WorkerOptions {
  engine: Engine
  identity: NodeIdentity
  /** Runs at once, and calls that may wait here for one of them. */
  places: number
  line: number
  /** Places that calls of the queue leave free. */
  reserve: number
  pool: string
  labels: readonly string[]
  /** Backend of the sandboxes. */
  isolation?: string
  /** Key to which fronts seal secrets. */
  sealKey?: string
  build: string
  ends: CallEnds
  /** Position of the catalog that this worker has. */
  readonly catalog: { readonly revision: number; waitFor(revision: number): Promise<void> }
  /**
   * Begins a call of a session, and returns a function that ends it; undefined if another worker has the
   * session.
   */
  enterHome?: ((home: HomeRef) => Promise<(() => void) | undefined>) | undefined
  /** Performs an accepted call; never throws. */
  perform(message: StartMessage, accepted: AcceptedCall): Promise<CallAnswer>
  /** Reads the logs of a run of this worker that is active; undefined if there is none. */
  readActiveLogs(run: string, offset: number): Promise<Buffer | undefined>
  /** Called when another node asked this one to stop. */
  onDrained?: (() => void) | undefined
}
