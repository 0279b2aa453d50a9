import type { LowPriorityReason } from './control-group.ts'
import type { GroupFile } from './group-file.ts'

/** Weights of a group of one version of control groups. */
type GroupWeights = Readonly<Record<'first' | LowPriorityReason, number>>

/** The share of the processor that a control group gets beside others. It is only lowered. */
export class GroupWeight {
  #file: Pick<GroupFile, 'write'> | undefined
  #weights: GroupWeights
  #current: number

  /** Without a file, no controller weights the group. */
  constructor(file: Pick<GroupFile, 'write'> | undefined, weights: GroupWeights) {
    this.#file = file
    this.#weights = weights
    this.#current = weights.first
  }

  /** Returns false if no controller weights the group. */
  lower(reason: LowPriorityReason): boolean {
    if (!this.#file) return false
    this.#set(Math.min(this.#current, this.#weights[reason]))
    return true
  }

  /** Sets the weight of a new group. */
  reset(): void {
    this.#set(this.#weights.first)
  }

  #set(weight: number): void {
    if (weight === this.#current) return
    this.#file?.write(weight)
    this.#current = weight
  }
}
