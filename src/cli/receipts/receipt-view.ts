import type { ChalkInstance } from 'chalk'
import type { ReceiptState, ReceiptVerification } from '../../core/receipts/verify-receipt.ts'
import { toPrintable } from '../../util/printable.ts'

const EXPLANATIONS: Readonly<Record<ReceiptState, string>> = {
  verified: 'The signature is valid, and nothing that is stored here contradicts it',
  untrusted: 'The signature is not by a key of the trust list; see "skills keys trust --help"',
  changed: 'The audit log or the run record contradicts the receipt',
  other: 'The receipt is of another run',
  threshold: 'Too few keys signed',
  source: 'The key is trusted for other sources only; pass --source if it is one of them',
  expired: 'The key has expired',
  revoked: 'The key is revoked: nothing that it signed is trusted, at any time',
}

/** Lines for people: the outcome, its reason, and what was compared. */
export function describeReceiptCheck(
  style: ChalkInstance,
  file: string,
  { state, receipt, signers, chain }: ReceiptVerification,
): string {
  const paint = state === 'verified' ? style.green : style.red
  const lines = [
    EXPLANATIONS[state],
    ...signers.map(({ key, state: signer }) => `signed by ${key.name} ${key.id}, ${signer}`),
    ...(state === 'verified' && receipt
      ? [`${receipt.run} ${receipt.status}, stated ${receipt.issuedAt} by the clock of the signer`]
      : []),
    ...(chain?.problems ?? []),
    ...(chain?.log === 'absent'
      ? ['the audit log here does not have the run: pass --audit <folder> to compare it']
      : []),
    ...(chain?.record === 'absent' ? ['the run record is not stored here'] : []),
  ]
  const title = `${paint(state)} ${receipt?.run ?? file}`
  return [title, ...lines.map((line) => `  ${toPrintable(line)}`)].join('\n')
}

export function toJsonReceiptCheck(
  file: string,
  { state, receipt, signers, threshold, chain }: ReceiptVerification,
) {
  return {
    state,
    file,
    ...toJsonReceipt(receipt),
    signers: signers.map(({ key, state: signer }) => ({
      name: key.name,
      id: key.id,
      state: signer,
    })),
    threshold: threshold ?? null,
    ...(chain ?? { log: null, record: null, problems: [] }),
  }
}

function toJsonReceipt(receipt: ReceiptVerification['receipt']) {
  if (!receipt) return { run: null, issued_at: null, chain: null, recorded: null, audited: null }
  const { run, issuedAt, chain, facts } = receipt
  return { run, issued_at: issuedAt, chain, ...facts }
}
