import { z } from 'zod'
import { AUDIT_EVENTS } from '../../audit/audit-record.ts'
import { POLICY_RUN_KINDS } from '../../policy/policy-request.ts'
import { LAYERS } from '../../policy/verdict.ts'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord, toReadonlySchema } from '../json-object.ts'

/** Records of one page. */
export const AUDIT_LIMITS = { usual: 50, most: 5000 } as const

const text = z.string().max(4096)
const time = z.iso.datetime({ offset: true })

export const listAuditRecordsMethod = defineMethod({
  name: 'list_audit_records',
  description: 'List the decisions of the audit log, newest first, as "skills audit ls" does.',
  params: z.strictObject({
    event: z.enum(AUDIT_EVENTS).optional().describe('Only records of this event'),
    kind: z.enum(POLICY_RUN_KINDS).optional().describe('Only runs of this kind'),
    layer: z.enum(LAYERS).optional().describe('Only denials of this layer'),
    code: text.optional().describe('Only denials with this code'),
    caller: text.optional().describe('Only runs of this token or user'),
    repository: text.optional().describe('Only runs in this repository'),
    skill: text.optional().describe('Only runs of this skill, or name@version'),
    language: text.optional().describe('Only runs of this language'),
    rule: text.optional().describe('Only decisions by this rule'),
    run: text.optional().describe('Only runs whose id starts with this'),
    hash: text.optional().describe('Only decisions whose auditHash starts with this'),
    since: time.optional().describe('Only records since this time'),
    until: time.optional().describe('Only records before this time'),
    order: z
      .enum(['newest', 'oldest'])
      .default('newest')
      .describe('"newest" leaves out the beginnings of ended runs; "oldest" has all records'),
    lines: z
      .boolean()
      .optional()
      .describe('Return lines of the log instead, unchanged: their hashes can be verified'),
    limit: z
      .int()
      .min(1)
      .max(AUDIT_LIMITS.most)
      .default(AUDIT_LIMITS.usual)
      .describe('Maximum number of records to return; large records can end a page earlier'),
    cursor: z.int().min(0).optional().describe('next_cursor of the previous page'),
  }),
  result: z.object({
    records: toReadonlySchema(z.array(plainRecord)),
    lines: toReadonlySchema(z.array(z.string())).exactOptional(),
    positions: toReadonlySchema(z.array(z.int()))
      .exactOptional()
      .describe(
        'Present in a fleet: position of each record among those of all nodes, which cursors contain',
      ),
    next_cursor: z.int().nullable(),
    read_until: z
      .string()
      .exactOptional()
      .describe('Present if the page ended because many records were read: the time of the last'),
  }),
})

export type ListAuditRecordsParams = MethodParams<typeof listAuditRecordsMethod>
export type ListAuditRecordsResult = MethodResult<typeof listAuditRecordsMethod>
