import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'

const link = z.object({ seq: z.int(), hash: z.string() })

export const verifyAuditLogMethod = defineMethod({
  name: 'verify_audit_log',
  description:
    'Verify that no record of the audit log was changed, removed or moved, as "skills audit verify" does. It reads the whole log.',
  params: z.strictObject({
    anchors: toReadonlySchema(
      z
        .array(z.strictObject({ seq: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) }))
        .max(1000),
    )
      .optional()
      .describe('Last records of earlier verifications'),
  }),
  result: z.object({
    ok: z.boolean().describe('False if a problem was found'),
    records: z.int(),
    files: z.int(),
    first: link.nullable(),
    last: link.nullable().describe('Last record, the anchor for a later verification'),
    removed: z.int().describe('Records that expired'),
    repaired: z.int().describe('Partial records that crashes left and that were cut off'),
    problems: toReadonlySchema(
      z.array(
        z.object({
          code: z.string(),
          seq: z.int().describe('Number of the record at which it was found'),
          place: z.string().exactOptional().describe('File and line'),
          sentence: z.string(),
        }),
      ),
    ),
    ends_torn: z
      .boolean()
      .describe('True if the log ends in a partial record: after a crash, or during a write'),
  }),
})

export type VerifyAuditLogParams = MethodParams<typeof verifyAuditLogMethod>
export type VerifyAuditLogResult = MethodResult<typeof verifyAuditLogMethod>
