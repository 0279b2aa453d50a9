import { SkillsError } from '../../errors.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { digestRecord } from '../runs/history/digest-record.ts'
import type { RunRecord } from '../runs/history/run-record.ts'
import type { Services } from '../services.ts'
import { findRunEntries } from './find-entries.ts'
import type { ReceiptFacts } from './receipt.ts'

/** Collects the facts of an ended run. Its record and the whole audit log have to be intact. */
export async function collectReceiptFacts(
  services: Pick<Services, 'runs' | 'auditSource'>,
  run: string,
): Promise<Omit<ReceiptFacts, 'issuedAt' | 'toolVersion'>> {
  const record = await (await services.runs()).get(run)
  const link = requireEnded(record)
  const source = await services.auditSource()
  const digest = digestRecord(record)
  const { problems, last } = await verifyAudit(source, [link], {
    links: [{ ...link, run, record: digest }],
  })
  const [problem] = problems
  if (problem) throw refuseReceipt(run, problem.sentence)
  const { begun, ended } = await findRunEntries(source, run, link)
  if (!begun || !ended || !last) throw refuseReceipt(run, 'the audit log does not have its end')
  const chain = {
    begun: { seq: begun.seq, hash: begun.hash },
    ended: { seq: ended.seq, hash: ended.hash },
    head: last,
    record: digest,
  }
  return { record, begun, ended, chain }
}

/** The position of the run in the audit log. */
function requireEnded({ run_id: run, status, policy }: RunRecord) {
  if (status === 'running') {
    throw new SkillsError('run/busy', `The run ${run} has not ended`, {
      hint: `Type "skills runs wait ${run}" first`,
    })
  }
  if (status === 'interrupted') throw refuseReceipt(run, 'it was interrupted, and has no end')
  if (!policy.audit) throw refuseReceipt(run, 'nothing was started')
  return policy.audit
}

function refuseReceipt(run: string, problem: string): SkillsError {
  return new SkillsError('audit/unavailable', `There is no receipt of ${run}: ${problem}`, {
    hint: 'Type "skills audit verify" and "skills runs show" to see the log and the record',
  })
}
