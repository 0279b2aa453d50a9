import type { AuditEntry, AuditRecord } from '../audit/audit-record.ts'
import type { ChainLink } from '../audit/chain.ts'
import type { RunRecord } from '../runs/history/run-record.ts'
import type { JsonValue } from '../signing/envelope/strict-json.ts'
import { formatStatement, type StatementSubject } from '../signing/statement/statement.ts'

/**
 * Type of the predicate of a receipt, a name as that of a release. All facts are derived again and
 * compared, so a further fact needs a further type: older receipts would differ.
 */
export const RECEIPT_TYPE = 'urn:skills-protocol:receipt:v1'

export type AuditedCall = Extract<AuditRecord, AuditEntry>

/** Place of a run in the audit log. */
export interface ReceiptChain {
  begun: ChainLink
  ended: ChainLink
  /** End of the log when the receipt was made. */
  head: ChainLink
  /** Digest of the run record, which `ended` has as well. */
  record: string
}

/** A parsed receipt. */
export interface Receipt {
  issuedAt: string
  run: string
  status: string
  chain: ReceiptChain
  /** Facts of the run record, and of the audit log, as stated. */
  facts: { recorded: unknown; audited: unknown }
}

/** Facts of a run record, without arguments, output, messages, callers and paths of the host. */
export function describeRecordedRun(record: RunRecord): object {
  const { request, isolation, policy, output, logs, exit, error } = record
  const { digest: codeDigest, size_bytes: codeSize } = request.code ?? {}
  return {
    run_id: record.run_id,
    kind: record.kind,
    status: record.status,
    started_at: record.started_at,
    ended_at: record.ended_at,
    duration_ms: record.duration_ms,
    exit,
    error: error && { type: error.type },
    skill: request.skill ?? null,
    skills: record.skills,
    code: codeDigest === undefined ? null : { digest: codeDigest, size_bytes: codeSize },
    input_blobs: request.input_blobs,
    output: output && { digest: output.digest, size_bytes: output.size_bytes },
    logs: { digest: logs.digest, size_bytes: logs.size_bytes },
    blobs: record.blobs.map(({ digest, size_bytes, kind }) => ({ digest, size_bytes, kind })),
    permissions: { network: policy.network, secrets: policy.secrets },
    isolation: isolation && describeIsolation(isolation),
    limits: record.limits,
    network: record.network?.map(({ allowed, reason, host, port, scheme, via }) => ({
      allowed,
      reason,
      host,
      port,
      scheme,
      via,
    })),
    network_bytes: record.network_bytes,
  }
}

function describeIsolation(isolation: NonNullable<RunRecord['isolation']>): object {
  const { backend, executor, engine, kernel, path, tier } = isolation
  const { memory_layout, namespaces, user, seccomp, landlock, network } = isolation
  return {
    backend,
    executor,
    engine,
    kernel,
    path,
    tier,
    memory_layout,
    namespaces,
    user,
    seccomp,
    landlock,
    network,
  }
}

/** Facts of the audit log: digests of inputs and outputs, and the decision of the policy. */
export function describeAuditedRun(begun: AuditedCall, ended: AuditedCall): object {
  const { allowed, rules, policies, audit_hash } = begun.decision
  return {
    /** A step of a workflow has the entries of the workflow. */
    run_id: begun.run_id,
    kind: begun.kind,
    inputs: begun.digests,
    outputs: ended.digests,
    policy: { allowed, rules, policies, audit_hash },
    result: ended.result ?? null,
  }
}

export interface ReceiptFacts {
  record: RunRecord
  begun: AuditedCall
  ended: AuditedCall
  chain: ReceiptChain
  issuedAt: string
  toolVersion: string
}

export function formatReceipt(facts: ReceiptFacts): Buffer {
  const { record, begun, ended, chain, issuedAt, toolVersion } = facts
  return formatStatement(RECEIPT_TYPE, listSubjects(record, chain), {
    issuedAt,
    tool: { name: 'skills-protocol', version: toolVersion },
    recorded: describeRecordedRun(record),
    audited: describeAuditedRun(begun, ended),
    chain,
  })
}

function listSubjects({ run_id: run, skills }: RunRecord, chain: ReceiptChain): StatementSubject[] {
  return [
    { name: run, digest: chain.record },
    ...skills.flatMap(({ name, version, digest }) =>
      digest === null ? [] : [{ name: `${name}@${version}`, digest }],
    ),
  ]
}

export function parseReceipt(predicate: JsonValue): Receipt {
  const [recorded, audited, chain] = ['recorded', 'audited', 'chain'].map((name) =>
    predicate.at(name),
  ) as [JsonValue, JsonValue, JsonValue]
  return {
    issuedAt: predicate.at('issuedAt').time(),
    run: recorded.at('run_id').matching(/^run_[0-9a-f]{1,64}$/, 'the id of a run'),
    status: recorded.at('status').text(),
    chain: {
      begun: parseLink(chain.at('begun')),
      ended: parseLink(chain.at('ended')),
      head: parseLink(chain.at('head')),
      record: chain.at('record').matching(/^sha256:[0-9a-f]{64}$/, 'a SHA-256 digest'),
    },
    facts: { recorded: recorded.value, audited: audited.value },
  }
}

function parseLink(link: JsonValue): ChainLink {
  return {
    seq: link.at('seq').count(),
    hash: link.at('hash').matching(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
  }
}
