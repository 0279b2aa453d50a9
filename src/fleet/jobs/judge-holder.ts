import { setTimeout as sleep } from 'node:timers/promises'
import { NoReceiverError, type Engine } from '../engine/engine.ts'
import type { AskAnswer } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { GONE_AFTER_MS, LOST_AFTER_MS } from '../node/silence.ts'
import type { JobHolder } from './read-job.ts'

/** `unknown`: the engine was away meanwhile, so that the silence of the worker means nothing. */
export type HolderVerdict = 'alive' | 'gone' | 'unknown'

const ASK_MS = 500
const PAUSE_MS = 150
/** Answers in a row that the worker does not know the run. */
const UNKNOWN_ANSWERS = 2

/** Asks the worker that has the fence of a run whether it performs it. */
export async function judgeHolder(
  engine: Engine,
  call: string,
  holder: JobHolder,
): Promise<HolderVerdict> {
  const answers = new HolderAnswers()
  for (;;) {
    const answer = await askHolder(engine, call, holder)
    // Silence counts only while the engine answers, and has done so for the whole time.
    if (!engine.health.isSteady || engine.health.backAt > answers.since) return 'unknown'
    if (answer === 'known') return 'alive'
    if (answers.isGone(answer)) return 'gone'
    await sleep(PAUSE_MS)
  }
}

type HolderAnswer = 'known' | 'unknown' | 'unheard' | 'silent'

/** The answers of a worker so far. */
class HolderAnswers {
  /** On the clock of `performance.now()`. */
  readonly since = performance.now()
  #unknown = 0
  #unheardSince: number | undefined

  /** Notes an answer. True if the worker is given up. */
  isGone(answer: HolderAnswer): boolean {
    const now = performance.now()
    this.#unknown = answer === 'unknown' ? this.#unknown + 1 : 0
    this.#unheardSince = answer === 'unheard' ? (this.#unheardSince ?? now) : undefined
    if (answer === 'unknown') return this.#unknown >= UNKNOWN_ANSWERS
    if (this.#unheardSince !== undefined) return now - this.#unheardSince > GONE_AFTER_MS
    return now - this.since > LOST_AFTER_MS
  }
}

async function askHolder(
  engine: Engine,
  call: string,
  { node, start }: JobHolder,
): Promise<HolderAnswer> {
  try {
    const body = encodeMessage({ op: 'ask', call })
    const response = await engine.request(`w.${node}.ask`, body, ASK_MS)
    const answer = decodeMessage(response) as AskAnswer | undefined
    // A later start of the node does not know the runs of an earlier one.
    return answer?.isKnown === true && answer.start === start ? 'known' : 'unknown'
  } catch (error) {
    return error instanceof NoReceiverError ? 'unheard' : 'silent'
  }
}
