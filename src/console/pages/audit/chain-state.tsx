import { useEffect, useState } from 'preact/hooks'
import type { VerifyAuditLogResult } from '../../../core/methods/verify-audit-log/definition.ts'
import { callMethod } from '../../app/api.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../models/quantities.ts'

/** Records of a log that is verified when the page opens; a larger one is when it is asked for. */
const MAX_AUTOMATIC = 20_000
const TIMEOUT_MS = 1_800_000

interface Verified {
  report: VerifyAuditLogResult
  at: string
}

/** Whether the chain of the log is intact. */
export function ChainState({ newest }: { newest: number | undefined }) {
  const [verified, setVerified] = useState<Verified>()
  const [error, setError] = useState<unknown>()
  const [isVerifying, setVerifying] = useState(false)
  const verify = async () => {
    setVerifying(true)
    setError(undefined)
    try {
      const report = await callMethod('verify_audit_log', {}, { timeoutMs: TIMEOUT_MS })
      setVerified({ report, at: new Date().toISOString() })
    } catch (thrown) {
      setError(thrown)
    }
    setVerifying(false)
  }
  const isSmall = newest !== undefined && newest <= MAX_AUTOMATIC
  useEffect(() => {
    if (isSmall) void verify()
  }, [isSmall])
  return (
    <div class="chain">
      <p>
        <span role="status">
          {isVerifying && 'Following the chain of the log… '}
          {!isVerifying && verified && <ChainVerdict verified={verified} />}
          {!isVerifying && !verified && 'The chain was not verified on this page. '}
        </span>
        <button type="button" disabled={isVerifying} onClick={() => void verify()}>
          {verified ? 'Verify again' : 'Verify the chain'}
        </button>
      </p>
      {error !== undefined && <ErrorMessage error={error} />}
      {verified && <ChainFacts report={verified.report} />}
    </div>
  )
}

function ChainVerdict({ verified: { report, at } }: { verified: Verified }) {
  const { ok, records, problems } = report
  const count = `${formatCount(records)} ${records === 1 ? 'record' : 'records'}`
  const found = `${formatCount(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`
  return (
    <>
      <Status
        value={ok ? 'ok' : 'failed'}
        text={ok ? `intact, ${count}` : `not intact, ${count}, ${found}`}
      />{' '}
      <span class="muted">
        verified <Time at={at} />
      </span>{' '}
    </>
  )
}

function ChainFacts({ report }: { report: VerifyAuditLogResult }) {
  const { problems, last, removed, repaired, ends_torn: isTorn, ok } = report
  return (
    <>
      {problems.length > 0 && (
        <ul class="problems" aria-label="Problems of the chain">
          {problems.map(({ code, seq, place, sentence }) => (
            <li key={`${code} ${seq} ${sentence}`}>
              <code>{code}</code> {sentence} <span class="muted">{place ?? `record ${seq}`}</span>
            </li>
          ))}
        </ul>
      )}
      <ul class="facts">
        {ok && last !== null && (
          <li>
            anchor <code title={last.hash}>{`${last.seq}:${last.hash.slice(0, 16)}…`}</code>{' '}
            <CopyButton label="Copy the anchor" text={`${last.seq}:${last.hash}`} />
          </li>
        )}
        {removed > 0 && <li>{formatCount(removed)} older records expired</li>}
        {repaired > 0 && <li>{formatCount(repaired)} incomplete records after crashes</li>}
        {isTorn && <li>The last record is incomplete, or is being written</li>}
      </ul>
    </>
  )
}
