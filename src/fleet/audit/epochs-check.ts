import type { ChainLink } from '../../core/audit/chain.ts'
import type { VerificationKey } from '../../core/signing/keys/verification-key.ts'
import type { StoredMessage } from '../engine/engine.ts'
import type { FleetChainCheck } from './chain-check.ts'
import { decodeEpoch, EpochState, isSameLink, isSignedBy, type ReadEpoch } from './epoch-record.ts'
import type { EpochAnchor, EpochsReport, FleetProblems } from './fleet-audit-report.ts'

export interface EpochsCheckInput {
  tenant: string
  /** Keys of which one must have signed each epoch; not checked if there are none. */
  keys: readonly VerificationKey[]
  anchors: readonly EpochAnchor[]
  chains: ReadonlyMap<string, FleetChainCheck>
  problems: FleetProblems
}

/** Follows the epochs in the order of the stream, and compares them with the chains that were read so far. */
export class EpochsCheck {
  #input: EpochsCheckInput
  #state = new EpochState()
  /** Chains with messages that no epoch covers yet. */
  #changed = new Set<FleetChainCheck>()
  #anchorsLeft: Set<EpochAnchor>
  #report: EpochsReport

  constructor(input: EpochsCheckInput) {
    this.#input = input
    this.#anchorsLeft = new Set(input.anchors)
    const areSignaturesChecked = input.keys.length > 0
    this.#report = {
      epochs: 0,
      first: null,
      last: null,
      end: null,
      signed: 0,
      areSignaturesChecked,
    }
  }

  noteChange(chain: FleetChainCheck): void {
    this.#changed.add(chain)
  }

  read(message: StoredMessage): void {
    const place = `message ${message.seq}`
    const epoch = decodeEpoch(message.body)
    if (!epoch) return this.#addProblem(place, 'This message is not an epoch')
    const { record, hash, envelope } = epoch
    this.#report.epochs += 1
    this.#report.first ??= record.time
    this.#report.last = record.time
    this.#report.end = { number: record.epoch, hash }
    if (envelope.signatures.length > 0) this.#report.signed += 1
    for (const sentence of this.#listContradictions(epoch, message))
      this.#addProblem(place, sentence)
    this.#checkAnchors(epoch)
    this.#checkLinks(epoch)
    this.#checkRoot(epoch, place)
    this.#state.advance(epoch)
  }

  finish(): EpochsReport {
    for (const { number, hash } of this.#anchorsLeft) {
      const last = this.#report.end?.number ?? 0
      const what = number > last ? 'is missing' : 'differs from the anchor'
      this.#addProblem(undefined, `Epoch ${number} ${what}, expected ${hash}`)
    }
    return this.#report
  }

  /** Differences between an epoch and those before. */
  #listContradictions(epoch: ReadEpoch, { seq }: StoredMessage): string[] {
    const { epoch: number, before, tenant, until } = epoch.record
    const { keys } = this.#input
    const sentences: string[] = []
    const expected = this.#state.number + 1
    if (number > expected) sentences.push(`Epochs ${expected} to ${number - 1} are missing`)
    if (number < expected) sentences.push(`Epoch ${number} comes after epoch ${expected - 1}`)
    if (number === expected && before !== this.#state.hash) {
      sentences.push(`Epoch ${number} continues a different epoch ${number - 1}`)
    }
    if (keys.length > 0 && !isSignedBy(epoch, keys)) {
      sentences.push(`Epoch ${number} is not signed by one of the keys`)
    }
    if (tenant !== this.#input.tenant) sentences.push(`Epoch ${number} belongs to tenant ${tenant}`)
    if (until >= seq) {
      sentences.push(`Epoch ${number} covers message ${until}: messages before it are missing`)
    }
    if (until < this.#state.until) sentences.push(`Epoch ${number} covers less than the one before`)
    return sentences
  }

  #checkAnchors({ record, hash }: ReadEpoch): void {
    for (const anchor of this.#anchorsLeft) {
      if (anchor.number === record.epoch && anchor.hash === hash) this.#anchorsLeft.delete(anchor)
    }
  }

  #checkLinks({ record }: ReadEpoch): void {
    const { epoch, until, links } = record
    for (const [chain, seq, hash] of links) {
      this.#checkLink(epoch, chain, { named: { seq, hash }, until })
    }
    this.#state.addLinks(links)
    const named = new Set(links.map(([chain]) => chain))
    for (const chain of this.#changed) {
      const end = chain.endAt(until)
      if (end && !named.has(chain.key) && !isSameLink(end, this.#state.link(chain.key))) {
        const sentence = `Epoch ${epoch} does not name record ${end.seq} of ${chain.key}`
        this.#input.problems.add({ code: 'epoch', chain: chain.key, seq: end.seq, sentence })
      }
      chain.forgetEnds(until)
      if (!chain.continuesAfter(until)) this.#changed.delete(chain)
    }
  }

  #checkLink(
    epoch: number,
    chain: string,
    { named, until }: { named: ChainLink; until: number },
  ): void {
    const found = this.#input.chains.get(chain)?.endAt(until)
    if (isSameLink(found, named)) return
    const { problems } = this.#input
    const { seq } = named
    if (!found) {
      const sentence = `The chain ${chain} is missing: epoch ${epoch} names its record ${seq}`
      return problems.add({ code: 'missing', chain, seq, sentence })
    }
    if (found.seq < seq) {
      const sentence = `The chain ${chain} ends at record ${found.seq}: epoch ${epoch} names its record ${seq}`
      return problems.add({ code: 'cut', chain, seq: found.seq + 1, sentence })
    }
    const sentence = `Record ${seq} of ${chain} differs from the one that epoch ${epoch} names`
    problems.add({ code: 'replaced', chain, seq, sentence })
  }

  #checkRoot({ record }: ReadEpoch, place: string): void {
    const { epoch, chains, root } = record
    if (chains === this.#state.chains && root === this.#state.root) return
    this.#addProblem(
      place,
      `The root of epoch ${epoch} does not match the chains that the epochs name`,
    )
  }

  #addProblem(place: string | undefined, sentence: string): void {
    this.#input.problems.add({
      code: 'epoch',
      seq: 0,
      ...(place !== undefined && { place }),
      sentence,
    })
  }
}
