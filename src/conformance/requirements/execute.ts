import { digestProbeFiles } from '../digest-probe.ts'
import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import {
  assertErrorCode,
  assertText,
  type ResultFields,
  type ConformanceSession,
} from '../session.ts'

const page = 'Execution Methods'
const COMPLETES = ['execute/completes']

async function executeProbe(
  session: ConformanceSession,
  args: object,
  extraParams: object = {},
): Promise<ResultFields> {
  const { name } = await session.getProbe()
  return await session.expectResult('execute_skill', { name, args, ...extraParams })
}

/** Returns the output of the probe; throws unless it completes. */
async function expectProbeOutput(
  session: ConformanceSession,
  args: object,
  extraParams: object = {},
): Promise<unknown> {
  const result = await executeProbe(session, args, extraParams)
  assertThat(
    result['status'] === 'completed',
    `Expected "completed", got ${formatValue(result['error'] ?? result)}`,
  )
  return result['output']
}

export const EXECUTE: readonly Requirement[] = [
  {
    id: 'execute/unknown',
    level: 'must',
    page: 'JSON-RPC Conventions',
    text: 'execute_skill refuses an unknown skill with -32602',
    needs: ['rpc/error-shape'],
    async check(session) {
      assertErrorCode(await session.expectError('execute_skill', { name: 'no.such.skill' }), -32602)
    },
  },
  {
    id: 'execute/instruction',
    level: 'should',
    page: 'Full Specification',
    text: 'An instruction skill is not executed',
    async check(session) {
      const { json } = await session.call('execute_skill', { name: 'skills.protocol.guide' })
      const { status } = (json?.['result'] ?? {}) as { status?: unknown }
      assertThat(status !== 'completed', 'Expected an error, got a completed run')
    },
  },
  {
    id: 'execute/completes',
    level: 'must',
    page,
    text: 'execute_skill runs the entrypoint of a skill',
    async check(session) {
      await expectProbeOutput(session, {})
    },
  },
  {
    id: 'execute/args',
    level: 'must',
    page,
    text: 'The function receives args',
    needs: COMPLETES,
    async check(session) {
      const args = { text: 'grün', list: [1, null] }
      const output = await expectProbeOutput(session, args)
      assertThat(
        formatValue(output) === formatValue({ given: args }),
        `Expected ${formatValue({ given: args })}, got ${formatValue(output)}`,
      )
    },
  },
  {
    id: 'execute/version',
    level: 'must',
    page,
    text: 'A version can be requested, and an unknown one is refused',
    needs: COMPLETES,
    async check(session) {
      const { name, version } = await session.getProbe()
      await expectProbeOutput(session, {}, { version })
      await session.expectError('execute_skill', { name, version: '999.999.999' })
    },
  },
  {
    id: 'execute/own-files',
    level: 'must',
    page: 'Full Specification',
    text: 'A skill finds its own files at /skills/<name>/, all of them and unchanged',
    needs: COMPLETES,
    async check(session) {
      const { name, request } = await session.getProbe()
      const found = await expectProbeOutput(session, { do: 'files', folder: `/skills/${name}` })
      for (const [path, digest] of digestProbeFiles(request)) {
        const other = (found as ResultFields | null)?.[path]
        assertThat(
          other === digest,
          `Expected ${path} with the digest ${digest}, got ${formatValue(other)}`,
        )
      }
    },
  },
  {
    id: 'execute/blobs',
    level: 'must',
    page,
    text: 'A skill reads blobs of input_blobs',
    needs: [...COMPLETES, 'blob/id'],
    async check(session) {
      const blob = { content: 'for the skill', kind: 'text/plain' }
      const { blob_id: id } = await session.expectResult('create_blob', blob)
      const text = await expectProbeOutput(session, { do: 'blob', blob: id }, { input_blobs: [id] })
      assertThat(text === 'for the skill', `Expected "for the skill", got ${formatValue(text)}`)
    },
  },
  {
    id: 'execute/failure',
    level: 'must',
    page,
    text: 'An exception in a skill is a failed run with its type and message',
    needs: COMPLETES,
    async check(session) {
      const { status, error } = await executeProbe(session, { do: 'fail' })
      assertThat(status === 'failed', `Expected "failed", got ${formatValue(status)}`)
      const { type, message } = (error ?? {}) as { type?: unknown; message?: unknown }
      assertText(type, 'error.type')
      assertThat(
        String(message).includes('as it was told to'),
        `Expected the message, got ${formatValue(error)}`,
      )
    },
  },
  {
    id: 'execute/timeout',
    level: 'must',
    page,
    text: 'A skill that exceeds timeout_ms is stopped and its run fails',
    needs: COMPLETES,
    async check(session) {
      const { status } = await executeProbe(
        session,
        { do: 'sleep', seconds: 120 },
        { timeout_ms: 1000 },
      )
      assertThat(status === 'failed', `Expected "failed", got ${formatValue(status)}`)
      await expectProbeOutput(session, {}, { timeout_ms: 30_000 })
    },
  },
  {
    id: 'execute/fields',
    level: 'must',
    page,
    text: 'A run of a skill has a summary and a run_id of its own',
    needs: ['execute/failure'],
    async check(session) {
      const runs = [await executeProbe(session, {}), await executeProbe(session, { do: 'fail' })]
      for (const { run_id: id, summary } of runs) {
        assertText(id, 'run_id')
        assertText(summary, 'summary')
      }
      const [one, other] = runs.map(({ run_id: id }) => id)
      assertThat(one !== other, `Expected two ids, got ${formatValue(one)} twice`)
    },
  },
  {
    id: 'execute/logs',
    level: 'must',
    page,
    text: 'logs_preview has what a skill logs and prints',
    needs: COMPLETES,
    async check(session) {
      const { logs_preview: logs } = await executeProbe(session, { do: 'log' })
      for (const text of ['probe says info', 'probe says print']) {
        assertThat(
          String(logs).includes(text),
          `Expected "${text}" in logs_preview, got ${formatValue(logs)}`,
        )
      }
    },
  },
]
