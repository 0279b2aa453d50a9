import { malformedBundleError } from '../signing/envelope/bundle-file.ts'
import { findSigners, type SignedEnvelope } from '../signing/envelope/dsse.ts'
import { parseStatement, STATEMENT_PAYLOAD } from '../signing/statement/statement.ts'
import { isTrustedKey, type TrustList } from '../signing/trust/trust-list.ts'
import {
  checkSigner,
  findMissedThreshold,
  type CheckedSigner,
  type MissedThreshold,
  type SignerState,
} from '../signing/verify/check-signers.ts'
import { checkReceiptChain, type ChainCheck, type ReceiptStores } from './check-chain.ts'
import { parseReceipt, RECEIPT_TYPE, type Receipt } from './receipt.ts'

/** `changed`: the audit log or the run record contradicts it. `other`: it is of another run. */
export type ReceiptState =
  | 'verified'
  | 'untrusted'
  | 'changed'
  | 'other'
  | 'threshold'
  | Exclude<SignerState, 'valid'>

export interface ReceiptVerification {
  state: ReceiptState
  signers: readonly CheckedSigner[]
  /** Undefined if no known key signed: unsigned text is not parsed. */
  receipt?: Receipt | undefined
  threshold?: MissedThreshold | undefined
  /** Undefined if the signature does not count. */
  chain?: ChainCheck | undefined
}

export interface ReceiptRequest {
  envelope: SignedEnvelope
  /** Path of the receipt, for messages. */
  place: string
  trust: TrustList
  source: string | undefined
  /** Id of the run that the receipt has to be of. */
  expected: string | undefined
  /** Milliseconds. */
  now: number
  stores: ReceiptStores
}

/** Checks the signature by the trust list, and then the facts by the audit log. */
export async function verifyReceipt(request: ReceiptRequest): Promise<ReceiptVerification> {
  const { envelope, trust, source, expected, now } = request
  const keys = findSigners(envelope, trust.keys.filter(isTrustedKey)).map(({ id }) => id)
  const known = trust.keys.filter(({ id }) => keys.includes(id))
  const sources = source === undefined ? [] : [source]
  const signers = known.map((key) => checkSigner(key, { sources, now }))
  if (signers.length === 0) return { state: 'untrusted', signers }
  const receipt = readReceipt(request)
  const valid = signers.filter(({ state }) => state === 'valid').map(({ key }) => key)
  if (valid.length === 0) return { state: findReceiptRefusal(signers), signers, receipt }
  const threshold = findMissedThreshold(trust, sources, valid)
  if (threshold) return { state: 'threshold', signers, receipt, threshold }
  if (expected !== undefined && receipt.run !== expected) {
    return { state: 'other', signers, receipt }
  }
  const chain = await checkReceiptChain(receipt, request.stores)
  const state = chain.problems.length === 0 ? 'verified' : 'changed'
  return { state, signers, receipt, chain }
}

/** Parses the payload, whose signature is valid. */
function readReceipt({ envelope, place }: ReceiptRequest): Receipt {
  const refuse = (problem: string) => malformedBundleError(place, problem)
  if (envelope.payloadType !== STATEMENT_PAYLOAD) throw refuse('it is not an in-toto statement')
  const { predicateType, predicate } = parseStatement(envelope.payload, refuse)
  if (predicateType !== RECEIPT_TYPE) throw refuse('it is not a receipt of a run')
  return parseReceipt(predicate)
}

/** A revoked key is the most important reason. */
function findReceiptRefusal(signers: readonly CheckedSigner[]): Exclude<SignerState, 'valid'> {
  const states = signers.map(({ state }) => state)
  if (states.includes('revoked')) return 'revoked'
  return states.includes('expired') ? 'expired' : 'source'
}
