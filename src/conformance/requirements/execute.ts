import { PROBE_MARKDOWN, PROBE_NAME, PROBE_SKILL } from '../probe.ts'
import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue, RequirementUntested } from '../assertions.ts'
import { assertErrorCode, type ResultFields, type ConformanceSession } from '../session.ts'

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
    text: 'A skill finds its own files at /skills/<name>/',
    needs: COMPLETES,
    async check(session) {
      const text = await expectProbeOutput(session, { do: 'file' })
      assertThat(text === PROBE_MARKDOWN, `Expected its SKILL.md, got ${formatValue(text)}`)
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
      const { message } = (error ?? {}) as { message?: unknown }
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
    },
  },
]

export const CREATE: readonly Requirement[] = [
  {
    id: 'create/offered',
    level: 'should',
    page: 'Full Specification',
    text: 'create_skill is offered',
    async check(session) {
      const { json } = await session.call('create_skill')
      const { code } = (json?.['error'] ?? {}) as { code?: unknown }
      assertThat(code !== -32601, 'Expected create_skill, got "Method not found"')
    },
  },
  {
    id: 'create/manifest',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill refuses a manifest without a name',
    needs: ['create/offered'],
    async check(session) {
      const { name: _, ...nameless } = PROBE_SKILL.manifest
      await session.expectError('create_skill', { ...PROBE_SKILL, manifest: nameless })
    },
  },
  {
    id: 'create/contained',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill refuses paths that lead out of the skill',
    needs: ['create/offered'],
    async check(session) {
      for (const path of ['../conformance-note.txt', 'code/../../conformance-note.txt']) {
        const manifest = { ...PROBE_SKILL.manifest, name: 'conformance.outside' }
        const files = [...PROBE_SKILL.files, { path, content: 'Not wanted here.' }]
        await session.expectError('create_skill', { ...PROBE_SKILL, manifest, files })
      }
    },
  },
  {
    id: 'create/persisted',
    level: 'must',
    page: 'Full Specification',
    text: 'A created skill is available at once, with its files',
    needs: ['create/offered'],
    async check(session) {
      const { name, version } = await session.getProbe()
      const { skill } = await session.expectResult('describe_skill', { name, version })
      const { manifest } = (skill ?? {}) as { manifest?: ResultFields }
      assertThat(
        manifest?.['name'] === name,
        `Expected the manifest of ${name}, got ${formatValue(skill)}`,
      )
      const file = { name, version, path: 'SKILL.md' }
      const { content } = await session.expectResult('read_skill_file', file)
      assertThat(content === PROBE_MARKDOWN, `Expected its SKILL.md, got ${formatValue(content)}`)
    },
  },
  {
    id: 'create/answer',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill returns the name and version of the skill',
    needs: ['create/offered'],
    async check(session) {
      const probe = await session.getProbe()
      if (probe.existedBefore)
        throw new RequirementUntested(`${PROBE_NAME} already exists from an earlier check`)
      const { name, version } = probe.created
      assertThat(name === PROBE_NAME, `Expected the name ${PROBE_NAME}, got ${formatValue(name)}`)
      assertThat(
        version === probe.version,
        `Expected the version ${probe.version}, got ${formatValue(version)}`,
      )
    },
  },
  {
    id: 'create/immutable',
    level: 'extension',
    page: 'Toolkit',
    text: 'An existing version is not replaced',
    needs: ['create/persisted'],
    async check(session) {
      await session.expectError('create_skill', PROBE_SKILL)
    },
  },
]
